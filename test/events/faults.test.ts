import { test } from 'node:test'
import { startFastFleet } from './fault-fleet.ts'
import { runFaults } from './fault-run.ts'
import { judgeFaults } from './fault-verdict.ts'

test('nothing is lost whatever dies: killed workers and web processes, two database restarts, hostile receivers', async (t) => {
  const events = 80
  const options = { longest: 40_000, strikeEvery: 550, misbehaveOneOf: 6, startFleet: startFastFleet }
  const { deliveries, duplicates } = judgeFaults(await runFaults({ events, ...options }), events)
  t.diagnostic(`${deliveries} deliveries, ${duplicates} duplicates around faults`)
})

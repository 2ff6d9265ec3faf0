import { test } from 'node:test'
import { runFaults } from './fault-run.ts'
import { judgeFaults } from './fault-verdict.ts'

test('nothing is lost whatever dies: killed workers and web processes, two database restarts, hostile receivers', async (t) => {
  const events = 80
  const { deliveries, duplicates } = judgeFaults(await runFaults({ events, longest: 40_000, strikeEvery: 550 }), events)
  t.diagnostic(`${deliveries} deliveries, ${duplicates} duplicates around faults`)
})

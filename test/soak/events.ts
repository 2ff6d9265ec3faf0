import { runFaults } from '../events/fault-run.ts'
import { judgeFaults } from '../events/fault-verdict.ts'
import { startWholeHost } from './fault-host.ts'

const events = 20_000
const options = { longest: 15 * 60_000, strikeEvery: 2_500, misbehaveOneOf: 60, startFleet: startWholeHost }

/**
 * The long form of the fault test: 20,000 events through a whole host whose every process is killed at random, in real
 * time. Rejects where anything was lost, forged, or repeated without a fault.
 */
export async function run(): Promise<void> {
  const startedAt = Date.now()
  const report = await runFaults({ events, ...options })
  const { deliveries, duplicates } = judgeFaults(report, events)
  const seconds = Math.round((Date.now() - startedAt) / 1_000)
  console.log(
    `${events} events, ${deliveries} deliveries, ${report.kills} killed processes, 2 database restarts: ` +
      `${duplicates} duplicates, all around faults; ${seconds} s`,
  )
}

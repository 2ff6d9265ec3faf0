import { runFaults } from '../events/fault-run.ts'
import { judgeFaults } from '../events/fault-verdict.ts'

const events = 20_000
const longest = 30 * 60_000
const strikeEvery = 4_000

/** The long form of the fault test: 20,000 events through kills and restarts. Rejects where anything was lost. */
export async function run(): Promise<void> {
  const { deliveries, duplicates } = judgeFaults(await runFaults({ events, longest, strikeEvery }), events)
  console.log(`${deliveries} deliveries, ${duplicates} duplicates around faults`)
}

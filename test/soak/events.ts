import { runFaults } from '../events/fault-run.ts'
import { judgeFaults } from '../events/fault-verdict.ts'

/** The long form of the fault test: 20,000 events through kills and restarts. Resolves with what was counted, or rejects. */
export function soakEvents(
  events = 20_000,
  longest = 30 * 60_000,
): Promise<{ deliveries: number; duplicates: number }> {
  return runFaults({ events, longest }).then((report) => judgeFaults(report, events))
}

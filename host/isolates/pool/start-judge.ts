import type { ProcessStat } from '../../processes/process-stat.ts'

/** Looks that a start may take, on a machine with no time for it. */
const mostLooks = 30
/** Looks in a row at one that neither runs nor wants to: once in thousands an engine that starts waits for itself. */
const mostStillLooks = 5

/** For one runner: takes what is seen of it at each look until it is ready, and says why it must go, if it must. */
export function judgeStart(): (stat: ProcessStat | undefined) => string | undefined {
  let looks = 0
  let stillLooks = 0
  let ranNs = -1
  return (stat) => {
    const still = stat !== undefined && !stat.runnable && stat.ranNs === ranNs
    stillLooks = still ? stillLooks + 1 : 0
    ranNs = stat?.ranNs ?? -1
    if (stillLooks === mostStillLooks) return 'it stood still as it started'
    return ++looks === mostLooks ? 'it did not start in time' : undefined
  }
}

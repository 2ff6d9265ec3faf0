/** What a process used of a core is remembered over about so long, in ms. */
const memoryMs = 200
/** Of one core: above it a runner burns, below it it has come to rest. */
const burning = 0.6
const resting = 0.1
/** So long it must have rested before it has every core again, in ms: between two bursts is no rest. */
const restMs = 2_000

/**
 * Keeps a runner that burns off the first core: however many guests burn, whoever serves an API request or a database
 * finds a core that none of them holds. On two cores that halved the API's p99 beside burning runners. A runner at rest has
 * every core, since the one where its caller's message woke it is the cheapest.
 */
export function createConfinement(confine: (confined: boolean) => void, now: () => number = () => performance.now()) {
  let share = 0
  let last: { at: number; cpuMs: number } | undefined
  let confined = false
  let restsSince = Number.POSITIVE_INFINITY

  const set = (wanted: boolean) => {
    confined = wanted
    confine(wanted)
  }
  return {
    /** One look at the CPU time that the runner has used since it began. */
    seen(cpuMs: number) {
      const at = now()
      if (last !== undefined && at > last.at) {
        const elapsed = at - last.at
        const kept = Math.exp(-elapsed / memoryMs)
        share = share * kept + ((cpuMs - last.cpuMs) / elapsed) * (1 - kept)
      }
      last = { at, cpuMs }
      if (share >= resting) restsSince = Number.POSITIVE_INFINITY
      else restsSince = Math.min(restsSince, at)
      if (!confined && share > burning) set(true)
      else if (confined && at - restsSince >= restMs) set(false)
    },
  }
}

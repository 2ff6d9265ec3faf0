/** How a runner was held is remembered over about so long, in ms. */
const memoryMs = 50
/** Of a core's time: a runner that used so much of it and owed its watchdog an answer was held by a guest. */
const heldUses = 0.5
/** Of the time remembered: above it a runner burns, below it it has come to rest. */
const burning = 0.5
const resting = 0.05
/** So long it must have rested before it has every core again, in ms: between two bursts is no rest. */
const restMs = 2_000

/**
 * Keeps a runner whose guests burn off the first core: however many do, whoever serves an API request or a database finds
 * a core that none of them holds. On two cores that halved the API's p99 beside burning runners. Many short calls are no
 * burning, however busy the runner: where a caller's message wakes it is the cheapest core for both.
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
    /**
     * One look: the CPU time that the runner has used since it began, and whether it owes its watchdog an answer. Answers
     * with whether it burns, or has not rested since.
     */
    seen(cpuMs: number, owes: boolean): boolean {
      const at = now()
      if (last !== undefined && at > last.at) {
        const elapsed = at - last.at
        const kept = Math.exp(-elapsed / memoryMs)
        const held = owes && cpuMs - last.cpuMs >= elapsed * heldUses
        share = share * kept + (held ? 1 - kept : 0)
      }
      last = { at, cpuMs }
      if (share >= resting) restsSince = Number.POSITIVE_INFINITY
      else restsSince = Math.min(restsSince, at)
      if (!confined && share > burning) set(true)
      else if (confined && at - restsSince >= restMs) set(false)
      return confined
    },
  }
}

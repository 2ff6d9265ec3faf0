/** Shorter slices are charged by the clock: asking the system for CPU time would cost more than they do. */
const tellingUs = 2_000
/** What this process got of the CPU is remembered over so much running time, by the clock: bad news weighs more. */
const memoryUs = { worse: 150_000, better: 1_000_000 }
/**
 * Beside a neighbour of ordinary priority a process at nice 10 gets a tenth of a core. A smaller share is not believed, or
 * one stuck module would hold up its neighbours for most of their ten seconds.
 */
const leastShare = 0.1
/** A slice that got less than this part of its length in CPU time was starved, not stuck. */
const starvedPart = 0.9

/**
 * How long a slice may last on the clock. isolated-vm's timeouts are wall time: on a busy machine an honest module would be
 * taken for a stuck one. So the slice is stretched by the share of the CPU that this process got lately; what the module
 * may use of the CPU stays the same. Should the machine become free in the middle of a stretched slice, the supervisor's
 * watchdog ends it, with the runner: it counts CPU time in any case.
 */
export function createTimeSlice(sliceMs: number) {
  const threadUs = () => {
    const { user, system } = process.threadCpuUsage()
    return user + system
  }
  let share = 1
  const learn = (seen: number, wallUs: number) => {
    const kept = Math.exp(-wallUs / (seen < share ? memoryUs.worse : memoryUs.better))
    share = share * kept + seen * (1 - kept)
  }
  return {
    /** Stretched no further than somebody waits for the answer. */
    wallMs: (awaitedMs: number) =>
      Math.ceil(Math.max(sliceMs, Math.min(awaitedMs, sliceMs / Math.max(leastShare, share)))),
    /** Returns the way to end the slice, which gives its CPU time in whole µs. isolated-vm's own `cpuTime` is wall time. */
    begin() {
      const start = performance.now()
      const before = threadUs()
      return (): number => {
        const wallUs = Math.round((performance.now() - start) * 1_000)
        if (wallUs < tellingUs) return wallUs
        const cpuUs = threadUs() - before
        learn(Math.min(1, cpuUs / wallUs), wallUs)
        return cpuUs
      }
    },
    wasStarved: (cpuUs: number) => cpuUs < sliceMs * 1_000 * starvedPart,
  }
}

/** Slices shorter than this are charged by the clock and say nothing about how busy the machine is. */
const tellingUs = 2_000
/** At least this share is assumed: a slice stretched further would meet the watchdog once the machine is free again. */
const leastShare = 0.4
/** A slice that got less than this part of its length in CPU time was starved, not stuck. */
const starvedPart = 0.9

/**
 * How long a slice may last on the clock. isolated-vm's timeouts are wall time: on a busy machine an honest module would be
 * taken for a stuck one. So the slice is stretched by the share of the CPU that this process got lately; what the module
 * may use of the CPU stays the same, and the supervisor's watchdog counts CPU time in any case.
 */
export function createTimeSlice(sliceMs: number) {
  let share = 1
  const threadUs = () => {
    const { user, system } = process.threadCpuUsage()
    return user + system
  }
  return {
    wallMs: () => Math.ceil(sliceMs / share),
    /** Returns the way to end the slice, which gives its CPU time in whole µs. isolated-vm's own `cpuTime` is wall time. */
    begin() {
      const start = performance.now()
      const before = threadUs()
      return (): number => {
        const wallUs = Math.round((performance.now() - start) * 1_000)
        if (wallUs < tellingUs) return wallUs
        const cpuUs = threadUs() - before
        const seen = Math.min(1, Math.max(leastShare, cpuUs / wallUs))
        // Down at once, up slowly: the next slice meets the same neighbours.
        share = seen < share ? share * 0.2 + seen * 0.8 : share * 0.8 + seen * 0.2
        return cpuUs
      }
    },
    wasStarved: (cpuUs: number) => cpuUs < sliceMs * 1_000 * starvedPart,
  }
}

/** Yields to the event loop after so much work, so that the watchdog's ping is answered between two slices. */
const turnMs = 20

/**
 * Runs jobs one after another in the order they came: `onJob` before each, `onIdle` when none is left. They run when all
 * that has arrived was read, never between two readings: a ping that waits beside them, or behind a job that took long, is
 * answered first. Else whoever comes after a job that nearly used up the runner's time would be blamed for it.
 */
export function createWorkQueue({ onJob, onIdle }: { onJob(): void; onIdle(): void }): (job: () => void) => void {
  let jobs: (() => void)[] = []
  let next = 0
  let scheduled = false

  const run = () => {
    scheduled = false
    const start = performance.now()
    while (next < jobs.length) {
      onJob()
      jobs[next++]!()
      if (performance.now() - start > turnMs && next < jobs.length) {
        scheduled = true
        setImmediate(run)
        return
      }
    }
    jobs = []
    next = 0
    onIdle()
  }
  return (job) => {
    jobs.push(job)
    if (scheduled) return
    scheduled = true
    setImmediate(run)
  }
}

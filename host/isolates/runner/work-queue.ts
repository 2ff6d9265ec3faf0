/** Yields to the event loop after so much work, so that the watchdog's ping is answered between two slices. */
const turnMs = 20
/** Places of jobs that are done, which are kept until there are so many. */
const mostDone = 1_000

/**
 * Runs jobs one after another in the order they came: `onJob` before each, `onIdle` when none is left. They run when all
 * that has arrived was read, never between two readings: a ping that waits beside them, or behind a job that took long, is
 * answered first. Else whoever comes after a job that nearly used up the runner's time would be blamed for it.
 */
export function createWorkQueue({ onJob, onIdle }: { onJob(): void; onIdle(): void }): (job: () => void) => void {
  let jobs: ((() => void) | undefined)[] = []
  let next = 0
  let scheduled = false

  const run = () => {
    scheduled = false
    const start = performance.now()
    while (next < jobs.length) {
      onJob()
      const job = jobs[next]!
      // What it holds, a frame and its text, is not held until a queue that never runs empty does.
      jobs[next++] = undefined
      job()
      if (performance.now() - start > turnMs && next < jobs.length) {
        if (next > mostDone) {
          jobs = jobs.slice(next)
          next = 0
        }
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

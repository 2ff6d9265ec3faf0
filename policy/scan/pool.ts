import type { FileAnalysis } from './analyse-file.ts'
import { type Ending, send, startThread, type Thread, watchThread } from './thread.ts'
import type { Answer, Job } from './worker.ts'

export type PoolLimits = { readonly fileMs: number; readonly memoryMb: number; readonly workers: number }
export type JobResult = { readonly job: Job } & ({ readonly analysis: FileAnalysis } | Ending)
export type Pool = { run(jobs: readonly Job[]): Promise<JobResult[]> }

const filesPerWorker = 40
/** Files sent ahead, so that a thread need not wait for another to be scheduled between two of them. */
const ahead = 16

/** Threads that analyse files. One that takes too long or runs out of memory is ended, and another goes on after that file. */
export function createPool(limits: PoolLimits): Pool {
  const idle: Thread[] = []
  if (limits.workers > 0) idle.push(startThread(limits))
  return {
    async run(jobs) {
      const waiting = [...jobs].reverse()
      const results: JobResult[] = []
      const lane = async () => {
        while (waiting.length > 0) {
          const thread = idle.pop() ?? startThread(limits)
          const { unfinished, usable } = await runLane(thread, waiting, results, limits.fileMs)
          waiting.push(...unfinished.reverse())
          if (usable) idle.push(thread)
          else await thread.worker.terminate()
        }
      }
      const lanes = Math.min(Math.max(1, limits.workers), Math.ceil(jobs.length / filesPerWorker))
      await Promise.all(Array.from({ length: lanes }, lane))
      return results
    },
  }
}

type LaneEnd = { readonly unfinished: Job[]; readonly usable: boolean }

/** Feeds one thread until no file waits, or until it fails: then the file it was at is the failure, and those behind it wait again. */
function runLane(thread: Thread, waiting: Job[], results: JobResult[], fileMs: number): Promise<LaneEnd> {
  return new Promise((resolve, reject) => {
    let ready = false
    const sent: Job[] = []
    const finish = (end: LaneEnd) => {
      watch.stop()
      resolve(end)
    }
    const onEnd = (ending: Ending) => {
      // A thread that ends before it has begun is no file's fault.
      if (!ready) return
      const job = sent.shift()
      if (job) results.push({ job, ...ending })
      finish({ unfinished: sent, usable: false })
    }
    const feed = () => {
      while (sent.length < ahead) {
        const job = waiting.pop()
        if (!job) break
        sent.push(job)
        send(thread, job)
      }
      if (sent.length === 0) finish({ unfinished: [], usable: true })
      else if (ready) watch.progress()
    }
    const onAnswer = (answer: Answer) => {
      const job = sent.shift()
      if (job) results.push({ job, ...outcome(answer) })
      feed()
    }
    const watch = watchThread(thread, fileMs, onAnswer, onEnd)
    // Files are sent to a thread that is still starting; the limit of the first begins once it has.
    feed()
    thread.ready.then(
      () => {
        ready = true
        if (sent.length > 0) watch.progress()
      },
      (error) => {
        watch.stop()
        reject(error)
      },
    )
  })
}

function outcome(answer: Answer): { analysis: FileAnalysis } | Ending {
  if ('analysis' in answer) return { analysis: answer.analysis }
  return { failure: 'crash', why: `The scan did not survive this file: ${answer.crashed}` }
}

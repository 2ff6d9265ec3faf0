import { Worker } from 'node:worker_threads'
import type { FileAnalysis } from './analyse-file.ts'
import type { Answer, Job } from './worker.ts'

export type PoolLimits = { readonly fileMs: number; readonly memoryMb: number; readonly workers: number }
export type JobResult = {
  readonly job: Job
  readonly analysis?: FileAnalysis
  readonly failure?: 'timeout' | 'crash'
}
export type Pool = { run(jobs: readonly Job[]): Promise<JobResult[]>; close(): Promise<void> }

const workerFile = new URL('./worker.ts', import.meta.url)
const startAllowanceMs = 20_000
const filesPerWorker = 40
/** Files sent ahead, so that a thread need not wait for another to be scheduled between two of them. */
const ahead = 16

/** Threads that analyse files. One that takes too long or runs out of memory is ended, and another goes on after that file. */
export function createPool(limits: PoolLimits): Pool {
  const idle: Worker[] = []
  const start = () => {
    const worker = new Worker(workerFile, { resourceLimits: { maxOldGenerationSizeMb: limits.memoryMb } })
    // A thread that dies between two files must not take the process with it.
    worker.on('error', () => undefined)
    return worker
  }
  if (limits.workers > 0) idle.push(start())
  return {
    async run(jobs) {
      const waiting = [...jobs].reverse()
      const results: JobResult[] = []
      const lane = async () => {
        while (waiting.length > 0) {
          const worker = idle.pop() ?? start()
          const { unfinished, usable } = await runLane(worker, waiting, results, limits.fileMs)
          waiting.push(...unfinished.reverse())
          if (usable) idle.push(worker)
          else await worker.terminate()
        }
      }
      const lanes = Math.min(Math.max(1, limits.workers), Math.ceil(jobs.length / filesPerWorker))
      await Promise.all(Array.from({ length: lanes }, lane))
      return results
    },
    async close() {
      await Promise.all(idle.splice(0).map((worker) => worker.terminate()))
    },
  }
}

type LaneEnd = { readonly unfinished: Job[]; readonly usable: boolean }

/** Feeds one thread until no file waits, or until it fails: then the file it was at is the failure, and those behind it wait again. */
function runLane(worker: Worker, waiting: Job[], results: JobResult[], fileMs: number): Promise<LaneEnd> {
  return new Promise((resolve) => {
    const sent: Job[] = []
    let timer: NodeJS.Timeout | undefined
    const watch = (ms: number) => {
      clearTimeout(timer)
      timer = setTimeout(() => fail('timeout'), ms)
    }
    const finish = (end: LaneEnd) => {
      clearTimeout(timer)
      worker.off('message', onMessage)
      worker.off('error', onEnd)
      worker.off('exit', onEnd)
      resolve(end)
    }
    const fail = (failure: 'timeout' | 'crash') => {
      const job = sent.shift()
      if (job) results.push({ job, failure })
      finish({ unfinished: sent, usable: false })
    }
    const feed = () => {
      while (sent.length < ahead) {
        const job = waiting.pop()
        if (!job) break
        sent.push(job)
        worker.postMessage(job)
      }
    }
    const onEnd = () => fail('crash')
    const onMessage = (answer: Answer) => {
      const job = sent.shift()
      if (job) results.push('analysis' in answer ? { job, analysis: answer.analysis } : { job, failure: 'crash' })
      feed()
      if (sent.length === 0) finish({ unfinished: [], usable: true })
      else watch(fileMs)
    }
    worker.on('message', onMessage)
    worker.on('error', onEnd)
    worker.on('exit', onEnd)
    feed()
    watch(fileMs + startAllowanceMs)
  })
}

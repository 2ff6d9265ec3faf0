import { Worker } from 'node:worker_threads'
import type { FileAnalysis } from './analyse-file.ts'
import type { Answer, Job } from './worker.ts'

export type PoolLimits = { readonly fileMs: number; readonly memoryMb: number; readonly workers: number }
export type JobResult = { readonly job: Job; readonly analysis?: FileAnalysis; readonly failure?: 'timeout' | 'crash' }

const workerFile = new URL('./worker.ts', import.meta.url)
const startAllowanceMs = 20_000

export type Pool = { run(jobs: readonly Job[]): Promise<JobResult[]>; close(): Promise<void> }

/** Threads that analyse files. One that takes too long or runs out of memory is ended, and another takes the next file. */
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
      const results: JobResult[] = []
      let next = 0
      const lane = async () => {
        let worker = idle.pop() ?? start()
        let fresh = true
        while (next < jobs.length) {
          const job = jobs[next++]
          if (!job) break
          const outcome = await runOne(worker, job, limits.fileMs + (fresh ? startAllowanceMs : 0))
          fresh = false
          results.push(outcome)
          if (outcome.failure === undefined) continue
          await worker.terminate()
          worker = start()
          fresh = true
        }
        idle.push(worker)
      }
      const lanes = Math.max(1, Math.min(limits.workers, Math.ceil(jobs.length / 40)))
      await Promise.all(Array.from({ length: jobs.length === 0 ? 0 : lanes }, lane))
      return results
    },
    async close() {
      await Promise.all(idle.splice(0).map((worker) => worker.terminate()))
    },
  }
}

function runOne(worker: Worker, job: Job, ms: number): Promise<JobResult> {
  return new Promise((resolve) => {
    const onMessage = (answer: Answer) =>
      settle('analysis' in answer ? { job, analysis: answer.analysis } : { job, failure: 'crash' })
    const onEnd = () => settle({ job, failure: 'crash' })
    const settle = (result: JobResult) => {
      clearTimeout(timer)
      worker.off('message', onMessage)
      worker.off('error', onEnd)
      worker.off('exit', onEnd)
      resolve(result)
    }
    const timer = setTimeout(() => settle({ job, failure: 'timeout' }), ms)
    worker.on('message', onMessage)
    worker.on('error', onEnd)
    worker.on('exit', onEnd)
    worker.postMessage(job)
  })
}

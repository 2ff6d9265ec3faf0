import { Worker } from 'node:worker_threads'
import { HtmlRefused } from './refused.ts'
import { refuseLarge } from './size.ts'
import type { SanitiseJob, SanitiseResult } from './worker.ts'

export type Sanitiser = {
  /** Safe HTML of a module's page. Throws HtmlRefused where the page is too large, too deep or takes too long. */
  clean(job: SanitiseJob): Promise<string>
  close(): Promise<void>
}

/** Longest time one page may take, in milliseconds; then its thread is ended. */
const timeLimit = 200
const threads = 2

type Thread = { worker: Worker; ready: Promise<void> }
type Waiting = { job: SanitiseJob; resolve: (html: string) => void; reject: (error: Error) => void }

/** Sanitises away from the event loop, in threads that are ended when a page takes too long. */
export function createSanitiser(): Sanitiser {
  const idle: Thread[] = Array.from({ length: threads }, startThread)
  const all = new Set(idle)
  const queue: Waiting[] = []
  let closed = false

  function next(): void {
    const thread = queue.length > 0 ? idle.shift() : undefined
    if (thread) void runOn(thread, queue.shift()!)
  }

  function replace(thread: Thread): void {
    all.delete(thread)
    void thread.worker.terminate()
    if (closed) return
    const fresh = startThread()
    all.add(fresh)
    idle.push(fresh)
    next()
  }

  async function runOn(thread: Thread, { job, resolve, reject }: Waiting): Promise<void> {
    await thread.ready
    const settle = (act: () => void) => {
      clearTimeout(late)
      thread.worker.off('message', onResult).off('error', onError)
      act()
    }
    const refuse = (reason: string) => {
      replace(thread)
      reject(new HtmlRefused(reason))
    }
    const onResult = (result: SanitiseResult) =>
      settle(() => {
        idle.push(thread)
        if ('html' in result) resolve(result.html)
        else reject(new HtmlRefused(result.refused))
        next()
      })
    const onError = () => settle(() => refuse('HTML could not be read'))
    const late = setTimeout(() => settle(() => refuse(`HTML took longer than ${timeLimit} ms`)), timeLimit)
    thread.worker.on('message', onResult).on('error', onError)
    thread.worker.postMessage(job)
  }

  return {
    async clean(job) {
      refuseLarge(job.html)
      return new Promise((resolve, reject) => {
        queue.push({ job, resolve, reject })
        next()
      })
    },
    async close() {
      closed = true
      await Promise.all([...all].map(({ worker }) => worker.terminate()))
    },
  }
}

function startThread(): Thread {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: 128 },
    stdout: false,
  })
  worker.unref()
  return { worker, ready: new Promise((ready) => worker.once('message', () => ready())) }
}

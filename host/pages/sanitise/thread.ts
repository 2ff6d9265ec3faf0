import { Worker } from 'node:worker_threads'
import { HtmlRefused } from './refused.ts'
import type { SanitiseJob, SanitiseResult } from './worker.ts'

/** Longest time one page may take, in milliseconds of the thread's own work; then the thread is ended. */
const workLimit = 200
/** The same on the clock: a thread of low priority may have to wait for its turn, but nobody waits for it longer. */
const clockLimit = 2_000

export type Thread = {
  /** Throws HtmlRefused; `isSpent` then says whether the thread is worth keeping. */
  clean(job: SanitiseJob): Promise<string>
  isSpent(): boolean
  end(): Promise<number>
}

/** A thread that cleans one page at a time. */
export function startThread(): Thread {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: 128 },
  })
  worker.unref()
  worker.on('error', () => {})
  let spent = false
  worker.once('exit', () => {
    spent = true
  })
  const ready = new Promise<void>((begin) => {
    worker.once('message', () => begin()).once('exit', () => begin())
  })

  return {
    async clean(job) {
      await ready
      const refuse = (reason: string): HtmlRefused => {
        spent = true
        return new HtmlRefused(reason)
      }
      if (spent) throw refuse('HTML could not be read')
      const result = once(worker)
      const limit = watch(worker)
      worker.postMessage(job)
      try {
        const first = await Promise.race([result.message, limit.passed])
        if (first === 'late') throw refuse(`HTML took longer than ${workLimit} ms`)
        if (first === 'gone') throw refuse('HTML could not be read')
        if ('refused' in first) throw new HtmlRefused(first.refused)
        return first.html
      } finally {
        result.forget()
        limit.forget()
      }
    },
    isSpent: () => spent,
    end: () => worker.terminate(),
  }
}

function once(worker: Worker): { message: Promise<SanitiseResult | 'gone'>; forget(): void } {
  const { promise: message, resolve } = Promise.withResolvers<SanitiseResult | 'gone'>()
  const gone = () => resolve('gone')
  worker.on('message', resolve).on('exit', gone)
  return { message, forget: () => worker.off('message', resolve).off('exit', gone) }
}

/** Judges a thread by the processor time that it used, so that a busy machine makes no honest page look slow. */
function watch(worker: Worker): { passed: Promise<'late'>; forget(): void } {
  const { promise: passed, resolve } = Promise.withResolvers<'late'>()
  const began = performance.now()
  const before = workOf(worker)
  let timer = setTimeout(look, workLimit)
  async function look(): Promise<void> {
    const used = (await workOf(worker)) - (await before)
    if (used >= workLimit || performance.now() - began >= clockLimit) resolve('late')
    else timer = setTimeout(look, Math.max(10, workLimit - used))
  }
  return { passed, forget: () => clearTimeout(timer) }
}

/** Milliseconds of work of a thread since it began; endless where it cannot say. */
async function workOf(worker: Worker): Promise<number> {
  try {
    const { user, system } = await worker.cpuUsage()
    return (user + system) / 1_000
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

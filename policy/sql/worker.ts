/**
 * The guard in a thread of its own. A text that is nested deeply enough breaks the parser for the rest of its thread's
 * life (47 such texts were measured to be enough); here the thread is ended after the first one, and a text that takes
 * too long costs its own verdict only.
 */
import { Worker } from 'node:worker_threads'
import { createCache } from './cache.ts'
import type { GuardOptions, GuardResult } from './guard.ts'
import { refusedWhole } from './result.ts'

export type ThreadOptions = GuardOptions & {
  /** Where a run-time statement will run: what passed then comes in the text to send, see `rewriteRuntimeStatement`. */
  readonly runSchema?: string
}

export type Guard = {
  /** The verdict of `checkSql`; verdicts already given are answered without the thread. Never rejects. */
  check(text: string, options: ThreadOptions): Promise<GuardResult>
  /** Ends the thread. Texts still waiting are refused with rule `guard_closed`. */
  close(): Promise<void>
}

export type GuardSettings = {
  /** For one text, the thread's start aside. Default 1,000. */
  readonly timeLimitMs?: number
  /** Never less than 4: with 4 no chain of operators that fits the text limit overflows. */
  readonly stackSizeMb?: number
  readonly cacheEntries?: number
}

type Job = { key: string; text: string; options: ThreadOptions; answer: (result: GuardResult) => void }

const startLimitMs = 20_000

export function createGuard(settings: GuardSettings = {}): Guard {
  const stackSizeMb = Math.max(4, settings.stackSizeMb ?? 8)
  const timeLimitMs = settings.timeLimitMs ?? 1_000
  const cache = createCache<GuardResult>({ entries: settings.cacheEntries ?? 5_000, characters: 16_000_000 })
  /** By schema: they take turns, so one module's many texts keep another's waiting for one of them only. */
  const waiting = new Map<string, Job[]>()
  let worker: Worker | undefined
  let current: Job | undefined
  let timer: NodeJS.Timeout | undefined
  let closed = false

  function start(): Worker {
    const started = new Worker(new URL('./worker-thread.ts', import.meta.url), { resourceLimits: { stackSizeMb } })
    started.on('message', (result: GuardResult) => finish(started, result))
    started.on('error', () => abandon(started, 'guard_failed', 'the guard could not read this text'))
    started.on('exit', () => abandon(started, 'guard_failed', 'the guard ended while it read this text'))
    return started
  }

  function takeNext(): Job | undefined {
    const [turn] = waiting
    if (!turn) return undefined
    const [schema, jobs] = turn
    waiting.delete(schema)
    const job = jobs.shift()
    if (jobs.length > 0) waiting.set(schema, jobs)
    return job
  }

  function next(): void {
    if (current || closed) return
    current = takeNext()
    if (!current) {
      worker?.unref()
      return
    }
    const fresh = worker === undefined
    worker ??= start()
    worker.ref()
    limit(worker, fresh ? timeLimitMs + startLimitMs : timeLimitMs)
    worker.postMessage({ text: current.text, options: current.options })
  }

  function limit(which: Worker, ms: number): void {
    if (which !== worker || !current) return
    clearTimeout(timer)
    timer = setTimeout(() => abandon(which, 'time', 'this text takes the guard too long'), ms)
  }

  function finish(which: Worker, result: GuardResult): void {
    if (which !== worker || !current) return
    clearTimeout(timer)
    const job = current
    current = undefined
    cache.set(job.key, result)
    if (!result.ok && result.refusal.rule === 'parser_crash') discard()
    job.answer(result)
    next()
  }

  function abandon(which: Worker, rule: string, reason: string): void {
    if (which !== worker) return
    clearTimeout(timer)
    discard()
    const job = current
    current = undefined
    job?.answer(refusedWhole(rule, reason))
    next()
  }

  function discard(): void {
    const ended = worker
    worker = undefined
    void ended?.terminate()
  }

  return {
    check(text, options) {
      if (closed) return Promise.resolve(refusedWhole('guard_closed', 'the guard is closed'))
      const { profile, schema, runSchema = '', maxBytes = '' } = options
      const key = `${profile} ${schema} ${runSchema} ${maxBytes} ${text}`
      const known = cache.get(key)
      if (known) return Promise.resolve(known)
      return new Promise((answer) => {
        const job = { key, text, options, answer }
        const jobs = waiting.get(schema)
        if (jobs) jobs.push(job)
        else waiting.set(schema, [job])
        next()
      })
    },
    async close() {
      closed = true
      clearTimeout(timer)
      const refused = refusedWhole('guard_closed', 'the guard is closed')
      const ended = worker
      worker = undefined
      for (const job of [current, ...[...waiting.values()].flat()]) job?.answer(refused)
      waiting.clear()
      current = undefined
      await ended?.terminate()
    },
  }
}

import { Worker } from 'node:worker_threads'
import type { Answer, FromThread, Job } from './worker.ts'

export type ThreadLimits = { readonly fileMs: number; readonly memoryMb: number }
export type Ending = { readonly failure: 'timeout' | 'crash'; readonly why: string }

/** One thread that analyses files, and what it has been seen to spend. */
export type Thread = {
  readonly worker: Worker
  readonly ready: Promise<void>
  /** Milliseconds of the processor it had used when it gave its last answer. */
  spentMs: number
}

const workerFile = new URL('./worker.ts', import.meta.url)
const startMs = 90_000
/** A thread that does not even answer what it spends for so long is ended. */
const silentMs = 60_000
/** One file's tree dies young as a whole, if there is room for it. */
const youngMb = 128

export function startThread(limits: ThreadLimits): Thread {
  const worker = new Worker(workerFile, {
    resourceLimits: { maxOldGenerationSizeMb: limits.memoryMb, maxYoungGenerationSizeMb: youngMb },
  })
  let waiting: NodeJS.Timeout | undefined
  const ready = new Promise<void>((resolve, reject) => {
    const refuse = (why: string) => () => reject(new Error(`a thread of the scan ${why}`))
    waiting = setTimeout(refuse('did not start in time'), startMs)
    worker.once('exit', refuse('ended before its first file'))
    worker.once('error', (error) => reject(error))
    worker.once('message', ({ cpuMs }: FromThread) => {
      thread.spentMs = cpuMs
      resolve()
    })
  })
  const thread: Thread = { worker, ready: ready.finally(() => clearTimeout(waiting)), spentMs: 0 }
  // Who waits for it hears of it; a thread nobody came to need must not take the process with it.
  thread.ready.catch(() => undefined)
  worker.on('error', () => undefined)
  return thread
}

/** What listens to a thread while it is at work. `progress` begins the limit of the next file. */
export type Watch = { progress(): void; stop(): void }

/**
 * Tells of each answer, and of the end of a file that spends too long. The judge is the processor time of the thread, so
 * that a loaded machine gives no verdict that an idle one would not give.
 */
export function watchThread(
  thread: Thread,
  fileMs: number,
  onAnswer: (answer: Answer) => void,
  onEnd: (ending: Ending) => void,
): Watch {
  const { worker } = thread
  let judging: NodeJS.Timeout | undefined
  let patient: NodeJS.Timeout | undefined
  let file = 0
  const timeout = () => onEnd({ failure: 'timeout', why: 'The parser did not finish this file in time.' })
  const judge = async (judged: number) => {
    patient = setTimeout(timeout, silentMs)
    const usage = await worker.cpuUsage().catch(() => undefined)
    if (judged !== file || !usage) return
    clearTimeout(patient)
    const left = fileMs - ((usage.user + usage.system) / 1000 - thread.spentMs)
    if (left <= 0) timeout()
    else judging = setTimeout(judge, left, judged)
  }
  const stopTimers = () => {
    file++
    clearTimeout(judging)
    clearTimeout(patient)
  }
  const crash = (why: string) => onEnd({ failure: 'crash', why: `The parser did not survive this file: ${why}` })
  const onError = (error: Error) => crash(error.message)
  const onExit = () => crash('its thread ended')
  const onMessage = (message: FromThread | Answer) => {
    thread.spentMs = message.cpuMs
    if ('analysis' in message || 'crashed' in message) onAnswer(message)
  }
  worker.on('message', onMessage)
  worker.on('error', onError)
  worker.on('exit', onExit)
  return {
    progress() {
      stopTimers()
      judging = setTimeout(judge, fileMs, file)
    },
    stop() {
      stopTimers()
      worker.off('message', onMessage)
      worker.off('error', onError)
      worker.off('exit', onExit)
    },
  }
}

export function send(thread: Thread, job: Job): void {
  thread.worker.postMessage(job)
}

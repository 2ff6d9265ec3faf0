import { Worker } from 'node:worker_threads'
import type { ScanReport } from '../finding.ts'
import { defaultLimits, type ScanLimits } from './limits.ts'
import type { ScanInput } from './scan-folder.ts'
import type { ScanAnswer, ScanRequest } from './scan-thread.ts'

export type { ScanInput } from './scan-folder.ts'

/** Scans one folder after another with a parser that is loaded once. */
export type Scanner = {
  /** The policy's verdict on a module's folder. It waits for the one before. */
  scan(folder: string, input: ScanInput): Promise<ScanReport>
  close(): Promise<void>
}

const threadFile = new URL('./scan-thread.ts', import.meta.url)

/**
 * All of a scan runs in a thread that is ended when it takes too long or too much memory: whatever a stranger's module
 * looks like, the caller gets a verdict or an error, never a hang. The scan after that has a thread of its own.
 */
export function createScanner(changes: Partial<ScanLimits> = {}): Scanner {
  const limits: ScanLimits = { ...defaultLimits, ...changes }
  let thread: Worker | undefined
  let before: Promise<unknown> = Promise.resolve()

  async function end(): Promise<void> {
    const ended = thread
    thread = undefined
    await ended?.terminate()
  }
  function open(): Worker {
    const worker = startThread(limits)
    thread = worker
    // One that ends while nobody waits for it is replaced by the next scan.
    worker.on('error', () => {})
    worker.once('exit', () => {
      if (thread === worker) thread = undefined
    })
    return worker
  }
  function ask(request: ScanRequest): Promise<ScanReport> {
    const worker = thread ?? open()
    const { folder } = request
    return new Promise<ScanReport>((resolve, reject) => {
      const settle = (last: () => void) => {
        clearTimeout(timer)
        worker.off('message', onMessage).off('error', onError).off('exit', onExit)
        last()
      }
      const fail = (error: Error) =>
        settle(() => {
          void end()
          reject(error)
        })
      const onMessage = (answer: ScanAnswer) =>
        settle(() => ('report' in answer ? resolve(answer.report) : reject(new Error(answer.error))))
      const onError = (error: Error) => fail(error)
      const onExit = () => fail(new Error(`the scan of ${folder} ended before its verdict`))
      const tooLong = () => fail(new Error(`the scan of ${folder} took longer than ${limits.scanMs} ms`))
      const timer = setTimeout(tooLong, limits.scanMs)
      worker.on('message', onMessage).on('error', onError).on('exit', onExit)
      worker.postMessage(request)
    })
  }

  return {
    scan(folder, input) {
      const report = before.then(() => ask({ folder, input }))
      before = report.catch(() => {})
      return report
    },
    close: end,
  }
}

function startThread(limits: ScanLimits): Worker {
  return new Worker(threadFile, {
    workerData: limits,
    resourceLimits: { maxOldGenerationSizeMb: limits.memoryMb * 2, maxYoungGenerationSizeMb: 128 },
  })
}

export type LimitedScan = ScanInput & { readonly limits?: Partial<ScanLimits> }

/** One scan, and nothing of it left behind. */
export async function scan(folder: string, { limits, ...input }: LimitedScan): Promise<ScanReport> {
  const scanner = createScanner(limits)
  try {
    return await scanner.scan(folder, input)
  } finally {
    // Its end is not waited for: a thread that is at work on something may not end for long.
    void scanner.close()
  }
}

import { Worker } from 'node:worker_threads'
import type { ScanReport } from '../finding.ts'
import { defaultLimits } from './limits.ts'
import type { ScanInput } from './scan-folder.ts'
import type { ScanAnswer } from './scan-thread.ts'

export type { ScanInput } from './scan-folder.ts'

const thread = new URL('./scan-thread.ts', import.meta.url)

/**
 * The policy's verdict on a module's folder. All of it runs in a thread that is ended when it takes too long or too much
 * memory: whatever a stranger's module looks like, the caller gets a verdict or an error, never a hang.
 */
export function scan(folder: string, input: ScanInput): Promise<ScanReport> {
  const { scanMs, memoryMb } = { ...defaultLimits, ...input.limits }
  return new Promise((resolve, reject) => {
    const worker = new Worker(thread, {
      workerData: { folder, input },
      resourceLimits: { maxOldGenerationSizeMb: memoryMb * 2, maxYoungGenerationSizeMb: 128 },
    })
    const end = (settle: () => void) => {
      clearTimeout(timer)
      worker.off('exit', onExit)
      worker.terminate().then(settle, settle)
    }
    const onExit = () => end(() => reject(new Error(`the scan of ${folder} ended before its verdict`)))
    const timer = setTimeout(
      () => end(() => reject(new Error(`the scan of ${folder} took longer than ${scanMs} ms`))),
      scanMs,
    )
    worker.once('message', (answer: ScanAnswer) =>
      end(() => ('report' in answer ? resolve(answer.report) : reject(new Error(answer.error)))),
    )
    worker.once('error', (error) => end(() => reject(error)))
    worker.once('exit', onExit)
  })
}

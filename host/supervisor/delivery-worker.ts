import { type ManagedProcess, startProcess } from '../processes/child-process.ts'
import type { WorkerStart } from '../worker/main.ts'

const restartPause = 500

/** Starts the process that sends webhooks and replaces it when it dies: what it was sending is left to its leases. */
export function startWorker(start: WorkerStart, log: (message: string) => void): { stop(): Promise<void> } {
  let stopping = false
  let current: ManagedProcess = startOne()

  function startOne(): ManagedProcess {
    const child = startProcess(new URL('../worker/main.ts', import.meta.url))
    child.rpc.call('start', start).catch((error: Error) => stopping || log(error.message))
    child.process.once('exit', (code, signal) => {
      if (stopping) return
      log(`the delivery worker ended (${signal ?? `code ${code}`}): starting another`)
      setTimeout(() => {
        if (!stopping) current = startOne()
      }, restartPause)
    })
    return child
  }

  return {
    async stop() {
      stopping = true
      await current.stop()
    },
  }
}

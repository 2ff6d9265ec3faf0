import { type ManagedProcess, startProcess } from '../processes/child-process.ts'
import type { WorkerStart } from '../worker/main.ts'

const restartPause = 500

/** Starts the process that sends webhooks and replaces it when it dies: what it was sending is left to its leases. */
export function startWorker(
  start: WorkerStart,
  ending: AbortSignal,
  log: (message: string) => void,
): { stop(): Promise<void> } {
  let current: ManagedProcess = startOne()

  function startOne(): ManagedProcess {
    const child = startProcess(new URL('../worker/main.ts', import.meta.url))
    child.rpc.call('start', start).catch((error: Error) => ending.aborted || log(error.message))
    void child.ended.then((how) => {
      if (ending.aborted) return
      log(`the delivery worker ended (${how}): starting another`)
      setTimeout(() => {
        if (!ending.aborted) current = startOne()
      }, restartPause)
    })
    return child
  }

  return {
    stop: () => current.stop(),
  }
}

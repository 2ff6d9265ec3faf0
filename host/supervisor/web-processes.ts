import cluster, { type Worker } from 'node:cluster'
import { fileURLToPath } from 'node:url'
import type { RunnerPool } from '../isolates/pool/pool.ts'
import { stopProcess } from '../processes/child-process.ts'
import { createRpc, type Methods, type Rpc } from '../processes/rpc.ts'

export type WebProcesses = {
  url: string
  /** Asks every living web process. */
  callAll<Result>(method: string, argument?: unknown): Promise<Result[]>
  stop(): Promise<void>
}

const restartPause = 200

/** Starts the web processes on one shared port and replaces one that dies. */
export async function startWebProcesses(options: {
  count: number
  pool: RunnerPool
  methods: Methods
  /** What a web process is started with; `port` is the one in use once the first has it. */
  start: (port: number) => unknown
  port: number
  log: (message: string) => void
}): Promise<WebProcesses> {
  cluster.schedulingPolicy = cluster.SCHED_NONE
  cluster.setupPrimary({
    exec: fileURLToPath(new URL('../web/main.ts', import.meta.url)),
    args: [],
    execArgv: ['--no-node-snapshot', '--disable-warning=ExperimentalWarning'],
    serialization: 'advanced',
  })
  const living = new Map<Worker, Rpc>()
  let stopping = false
  let port = options.port

  async function startOne(): Promise<{ url: string; port: number }> {
    const worker = cluster.fork()
    const rpc = createRpc(worker.process, options.methods)
    options.pool.attachWeb(worker.process)
    const died = new Promise<never>((_, reject) =>
      worker.once('exit', () => reject(new Error('a web process ended while it started'))),
    )
    const ready = await Promise.race([rpc.call<{ url: string; port: number }>('start', options.start(port)), died])
    died.catch(() => {})
    living.set(worker, rpc)
    worker.once('exit', (code, signal) => {
      living.delete(worker)
      if (stopping) return
      options.log(`a web process ended (${signal ?? code}): starting another`)
      restart()
    })
    return ready
  }

  function restart(): void {
    startOne().catch((error: Error) => {
      if (stopping) return
      options.log(error.message)
      setTimeout(restart, restartPause)
    })
  }

  const first = await startOne()
  port = first.port
  await Promise.all(Array.from({ length: options.count - 1 }, startOne))
  return {
    url: first.url,
    callAll: (method, argument) => Promise.all([...living.values()].map((rpc) => rpc.call<never>(method, argument))),
    async stop() {
      stopping = true
      await Promise.all([...living.keys()].map((worker) => stopProcess(worker.process)))
    },
  }
}

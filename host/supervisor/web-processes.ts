import cluster, { type Worker } from 'node:cluster'
import { fileURLToPath } from 'node:url'
import type { RunnerPool } from '../isolates/pool/pool.ts'
import { stopProcess } from '../processes/child-process.ts'
import { createRpc, type Methods, type Rpc } from '../processes/rpc.ts'

export type WebProcesses = {
  /** Settles when all of them serve; rejects when one cannot. */
  ready: Promise<{ url: string }>
  /** Asks every living web process. */
  callAll<Result>(method: string, argument?: unknown): Promise<Result[]>
  stop(): Promise<void>
}

type Serving = { url: string; port: number }

const restartPause = 200

/**
 * Starts the web processes on one shared port and replaces one that dies. They load their code at once, while what they
 * are started with (the database, the runners) is still being prepared.
 */
export function startWebProcesses(options: {
  count: number
  pool: Promise<RunnerPool>
  methods: Methods
  /** What a web process is started with; `port` is the one in use once the first has it. */
  start: Promise<(port: number) => unknown>
  port: number
  log: (message: string) => void
}): WebProcesses {
  cluster.schedulingPolicy = cluster.SCHED_NONE
  cluster.setupPrimary({
    exec: fileURLToPath(new URL('../web/main.ts', import.meta.url)),
    args: [],
    execArgv: ['--no-node-snapshot', '--disable-warning=ExperimentalWarning'],
    serialization: 'advanced',
  })
  const everyone = new Set<Worker>()
  const living = new Map<Worker, Rpc>()
  let stopping = false

  async function startOne(port: Promise<number>): Promise<Serving> {
    const worker = cluster.fork()
    everyone.add(worker)
    const rpc = createRpc(worker.process, options.methods)
    const ended = new Promise<string>((done) => {
      worker.once('exit', (code, signal) => done(signal ?? `code ${code}`))
      worker.once('error', (error) => done(error.message))
    })
    const died = ended.then((how) => Promise.reject(new Error(`a web process ended while it started (${how})`)))
    void ended.then((how) => {
      everyone.delete(worker)
      if (!living.delete(worker) || stopping) return
      options.log(`a web process ended (${how}): starting another`)
      restart()
    })
    try {
      const [pool, start, wanted] = await Promise.race([Promise.all([options.pool, options.start, port]), died])
      pool.attachWeb(worker.process)
      const serving = await Promise.race([rpc.call<Serving>('start', start(wanted)), died])
      living.set(worker, rpc)
      return serving
    } catch (error) {
      worker.process.kill('SIGKILL')
      throw error
    } finally {
      died.catch(() => {})
    }
  }

  function restart(): void {
    startOne(first.then(({ port }) => port)).catch((error: Error) => {
      if (stopping) return
      options.log(error.message)
      setTimeout(restart, restartPause)
    })
  }

  const first = startOne(Promise.resolve(options.port))
  const port = first.then((serving) => serving.port)
  const others = Array.from({ length: options.count - 1 }, () => startOne(port))
  const ready = Promise.all([first, ...others]).then(([{ url }]) => ({ url }))
  for (const promise of [port, ready, ...others]) promise.catch(() => {})
  return {
    ready,
    callAll: (method, argument) => Promise.all([...living.values()].map((rpc) => rpc.call<never>(method, argument))),
    async stop() {
      stopping = true
      await Promise.all([...everyone].map((worker) => stopProcess(worker.process)))
    },
  }
}

import cluster, { type Worker } from 'node:cluster'
import { fileURLToPath } from 'node:url'
import { parserOptions } from '../../policy/sql/engine-options.ts'
import type { RunnerPool } from '../isolates/pool/pool.ts'
import { endOf, stopProcess } from '../processes/child-process.ts'
import { inTime } from '../processes/in-time.ts'
import { createRpc, type Methods, type Rpc } from '../processes/rpc.ts'
import { watchWebProcess } from './web-watch.ts'

type Serving = { url: string }

export type WebProcesses = {
  /** Settles when all of them serve; rejects when one cannot. */
  ready: Promise<Serving>
  /** Asks every living web process, and waits two seconds at most. One that ends before it answers is left out. */
  callAll<Result>(method: string, argument?: unknown): Promise<Answers<Result>>
  stop(): Promise<void>
}

/** `silent`: how many were asked and did not answer in time. */
export type Answers<Result> = { answers: Result[]; silent: number }

const restartPause = 200
/** In milliseconds; most scrapers wait for ten seconds. */
const answerPatience = 2_000

/**
 * Starts the web processes on one shared port and replaces one that dies, or works on without answering. They load their
 * code at once, while what they are started with (the database, the runners) is still being prepared.
 */
export function startWebProcesses(options: {
  count: number
  pool: Promise<RunnerPool>
  methods: Methods
  /** What each web process is started with. */
  start: Promise<unknown>
  /** Aborted when the host ends: nobody is started any more. */
  ending: AbortSignal
  log: (message: string) => void
}): WebProcesses {
  cluster.schedulingPolicy = cluster.SCHED_NONE
  cluster.setupPrimary({
    exec: fileURLToPath(new URL('../web/main.ts', import.meta.url)),
    args: [],
    execArgv: ['--disable-warning=ExperimentalWarning', ...parserOptions],
    serialization: 'advanced',
  })
  const everyone = new Set<Worker>()
  const living = new Map<Worker, Rpc>()

  async function startOne(): Promise<Serving> {
    const worker = cluster.fork()
    everyone.add(worker)
    const rpc = createRpc(worker.process, options.methods)
    const ended = endOf(worker.process)
    // The cluster says again what the process said, and nobody else listens.
    worker.on('error', () => {})
    const died = ended.then((how) => Promise.reject(new Error(`a web process ended while it started (${how})`)))
    void ended.then((how) => {
      everyone.delete(worker)
      if (!living.delete(worker) || options.ending.aborted) return
      options.log(`a web process ended (${how}): starting another`)
      restart()
    })
    try {
      const [pool, start] = await Promise.race([Promise.all([options.pool, options.start]), died])
      pool.attachWeb(worker.process)
      const serving = await Promise.race([rpc.call<Serving>('start', start), died])
      living.set(worker, rpc)
      void ended.then(watch(worker, rpc))
      return serving
    } catch (error) {
      worker.process.kill('SIGKILL')
      throw error
    } finally {
      died.catch(() => {})
    }
  }

  const watch = (worker: Worker, rpc: Rpc) =>
    watchWebProcess(
      worker.process.pid!,
      () => rpc.call('alive'),
      () => {
        options.log('a web process works without answering')
        worker.process.kill('SIGKILL')
      },
    )

  function restart(): void {
    startOne().catch((error: Error) => {
      if (options.ending.aborted) return
      options.log(error.message)
      setTimeout(() => options.ending.aborted || restart(), restartPause)
    })
  }

  const all = Array.from({ length: options.count }, startOne)
  const ready = Promise.all(all).then(([first]) => first!)
  for (const promise of [ready, ...all]) promise.catch(() => {})
  return {
    ready,
    async callAll(method, argument) {
      const asked = [...living.values()].map((rpc) =>
        inTime(
          rpc.call<never>(method, argument).then((answer) => [answer]),
          answerPatience,
          null,
        ),
      )
      const settled = await Promise.allSettled(asked)
      const heard = settled.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
      const answers = heard.flatMap((answer) => answer ?? [])
      return { answers, silent: heard.length - answers.length }
    },
    async stop() {
      await Promise.all([...everyone].map((worker) => stopProcess(worker.process)))
    },
  }
}

import { ChildProcess, type ForkOptions, fork } from 'node:child_process'
import { createRpc, type Methods, type Rpc } from './rpc.ts'

export type ManagedProcess = {
  rpc: Rpc
  process: ChildProcess
  /** How it ended, in words; one that the system did not start has ended too. */
  ended: Promise<string>
  /** Asks the process to finish; kills it after ten seconds. */
  stop(): Promise<void>
}

const patience = 10_000

/**
 * Starts one of our processes. It gets no environment but what it needs to run: its settings come as a message. `flags` are
 * Node's and V8's.
 */
export function startProcess(entry: URL, methods: Methods = {}, flags: readonly string[] = []): ManagedProcess {
  const child = forkOrEnded(entry, {
    env: childEnvironment(),
    execArgv: ['--disable-warning=ExperimentalWarning', ...flags],
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  return { rpc: createRpc(child, methods), process: child, ended: endOf(child), stop: () => stopProcess(child) }
}

/** Of most failures Node says so later, in an event; where memory is missing it throws. Here both are told by the event. */
function forkOrEnded(entry: URL, options: ForkOptions): ChildProcess {
  try {
    return fork(entry, options)
  } catch (error) {
    // Without a process there is nothing to signal: number 0 would be this process's own group.
    const child = Object.assign(new ChildProcess(), { kill: () => false, ref() {}, unref() {} })
    process.nextTick(() => child.emit('error', error))
    return child
  }
}

const isStarted = ({ pid }: ChildProcess): boolean => pid !== undefined

/** How a process that is started, or was to be, comes to its end, in words. */
export function endOf(child: ChildProcess): Promise<string> {
  return new Promise((ended) => {
    child.once('exit', (code, signal) => ended(signal ?? `code ${code}`))
    // Of a living one it says only that a signal or a message did not reach it.
    child.on('error', (error) => isStarted(child) || ended(error.message))
  })
}

/** Where Node finds the authorities that it trusts: a database's certificate is often signed by one of its operator's own. */
const authorities = ['NODE_EXTRA_CA_CERTS', 'NODE_USE_SYSTEM_CA', 'SSL_CERT_FILE', 'SSL_CERT_DIR']

/** Without these Windows opens no socket, and Node finds no home there. */
const ofWindows = ['SystemRoot', 'USERPROFILE', 'TEMP']

/** The names a Node process needs to start; settings and secrets are not among them. */
export function childEnvironment(): Record<string, string> {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'TZ', 'LANG', 'NODE_COMPILE_CACHE', ...ofWindows, ...authorities]
  return Object.fromEntries(kept.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])))
}

/**
 * Leaves this process what its children may have. Those that the cluster starts inherit all there is, and libraries look up
 * names of their own: what an operator's shell has for other programs acts nowhere in a host.
 */
export function forgetEnvironment(): void {
  const kept = childEnvironment()
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, kept)
}

export async function stopProcess(child: ChildProcess): Promise<void> {
  if (!isStarted(child) || child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise<void>((done) => child.once('exit', () => done()))
  child.kill('SIGTERM')
  const impatient = setTimeout(() => child.kill('SIGKILL'), patience)
  await gone
  clearTimeout(impatient)
}

/** What a process of ours is while it runs. `answer` is what its `start` answers with. */
export type Running<Answer> = { answer: Answer; methods?: Methods; stop(): Promise<void> }

/**
 * For the child's side: runs `start` with the first message's argument, and `stop` at SIGTERM or when the parent is gone.
 * `early` are methods that may be called before `start`.
 */
export function runAsChild<Argument, Answer = void>(
  start: (argument: Argument, parent: Rpc) => Promise<Running<Answer>>,
  early: Methods = {},
): void {
  let running: Running<Answer> | null = null
  const methods: Methods = {
    ...early,
    async start(argument: Argument) {
      running = await start(argument, parent)
      Object.assign(methods, running.methods)
      return running.answer
    },
  }
  const parent = createRpc(process as never, methods)
  let finishing = false
  const finish = () => {
    if (finishing) return
    finishing = true
    setTimeout(() => process.exit(1), patience).unref()
    void (running?.stop() ?? Promise.resolve()).then(
      () => process.exit(0),
      () => process.exit(1),
    )
  }
  // It may come twice: from whoever ends the whole group, and from the supervisor.
  process.on('SIGTERM', finish)
  process.once('disconnect', finish)
  // Ctrl-C and a terminal that closes reach the whole group: the supervisor decides in which order processes end.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
}

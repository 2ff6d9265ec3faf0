import type { ChildProcess } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import type { JailReport } from '../../jail/jail.ts'
import { buildRunnerJail, type RunnerJail } from '../runner-jail.ts'
import { type Limits, resolveLimits } from '../limits.ts'
import type { RunnerLinks, RunnerRole } from '../links.ts'
import { createAudience, serveWebProcess } from './audience.ts'
import { roomOfRunners } from './room.ts'
import { type RunnerProcess, startRunner } from './runner-process.ts'

export type RunnerPoolOptions = {
  /** Ordinary runners; by default one for each core but one. */
  runners?: number
  /** Runners that wait, started, for another's death. */
  spares?: number
  /** The first spares are started once this has settled; by default at once. */
  spareAfter?: Promise<unknown>
  /** Aborted when the host ends: whoever dies then was told to, and no other is started. */
  ending?: AbortSignal
  /** Processes that are served at once; by default two, a web process and the publisher. */
  users?: number
  /** How many of them may be replaced before a runner has no socket left for another, and is replaced itself. */
  replacements?: number
  limits?: Partial<Limits>
  jail?: RunnerJail
  log?: (line: { level: 'info' | 'warn' | 'error'; message: string }) => void
}

export type RunnerPool = {
  jail: JailReport
  limits: Limits
  /** Links for a client in this very process. */
  links: () => RunnerLinks
  /** Hands a web process its sockets, now and after every replacement, until it exits. */
  attachWeb: (child: ChildProcess) => void
  /** Kills one runner; the spare takes over. */
  kill: (runner: number, reason: string) => void
  stats: () => {
    runners: ({ id: number; role: RunnerRole | 'spare' } & Record<string, number | string>)[]
    lost: number
  }
  close: () => Promise<void>
}

const fewestUsers = 2
const usualReplacements = 10
const restartPauseMs = 500
/** Starts that may fail before the pool gives up its own: where one cannot succeed, so many are tried in a second. */
const mostFailedStarts = 3

/** Starts the runners and keeps them going: a dead one is replaced by the spare at once, and a new spare is started. */
export async function createRunnerPool(options: RunnerPoolOptions = {}): Promise<RunnerPool> {
  const jail = options.jail ?? buildRunnerJail()
  const log = options.log ?? (() => {})
  const lanes = (options.users ?? fewestUsers) + (options.replacements ?? usualReplacements)
  const wanted = options.runners ?? Math.max(1, availableParallelism() - 1)
  const limits = resolveLimits({ ...roomOfRunners(wanted), ...options.limits })
  const spareCount = options.spares ?? 1
  const roles = new Map<RunnerProcess, RunnerRole>()
  const spares = new Set<RunnerProcess>()
  const vacancies: RunnerRole[] = []
  const starting = new Set<RunnerProcess>()
  const everyone = new Set<RunnerProcess>()
  const audience = createAudience((runner, reason) => kill(runner, reason))
  let lastId = 0
  let lost = 0
  let closing = false

  const kill = (id: number, reason: string) => {
    for (const runner of roles.keys()) if (runner.id === id) runner.kill(reason)
  }
  const appoint = (runner: RunnerProcess, role: RunnerRole) => {
    roles.set(runner, role)
    audience.announce(runner, role)
  }
  /** For places that became empty: calls wait for them. The first runners have the time that the rest of a start takes. */
  const hurryStarts = () => {
    for (const runner of [...starting].slice(0, vacancies.length)) runner.hurryStart()
  }
  const filled = Promise.withResolvers<void>()
  let failedStarts = 0
  const start = (awaited = false) => {
    const runner = startRunner(++lastId, jail, limits, lanes, awaited)
    everyone.add(runner)
    starting.add(runner)
    const started = runner.ready.then(() => {
      starting.delete(runner)
      const role = vacancies.shift()
      if (role === undefined) spares.add(runner)
      else appoint(runner, role)
      if (vacancies.length === 0) filled.resolve()
    })
    started.catch((error) => ++failedStarts === mostFailedStarts && filled.reject(error))
    runner.exited.then(async (exit) => {
      everyone.delete(runner)
      starting.delete(runner)
      spares.delete(runner)
      const role = roles.get(runner)
      roles.delete(runner)
      if (closing) return
      lost++
      if (role !== undefined) replace(role)
      // A signal to the whole group may have ended it, and be heard of by this process a moment later.
      await setImmediate()
      if (options.ending?.aborted) return filled.reject(new Error(`runner ${runner.id} ended with the host`))
      log({ level: 'warn', message: `runner ${runner.id} (${role ?? 'spare'}) is gone: ${exit.reason}` })
      const again = () => {
        if (options.ending?.aborted) filled.reject(new Error('the host ends'))
        else if (!closing) start(vacancies.length > starting.size)
      }
      started.then(again, () => setTimeout(again, restartPauseMs))
    })
    return started
  }
  const replace = (role: RunnerRole) => {
    const [spare] = spares
    if (spare === undefined) {
      vacancies.push(role)
      return hurryStarts()
    }
    spares.delete(spare)
    appoint(spare, role)
  }

  const close = async () => {
    closing = true
    const ending = [...everyone].map((runner) => runner.exited)
    for (const runner of everyone) runner.kill('the pool closes')
    await Promise.all(ending)
    audience.close()
    jail.remove()
  }

  vacancies.push('quarantine', ...Array.from({ length: wanted }, (): RunnerRole => 'ordinary'))
  for (const _place of [...vacancies]) start()
  const startSpares = () => {
    for (let i = 0; i < spareCount && !closing; i++) start()
  }
  if (options.spareAfter) options.spareAfter.then(startSpares, startSpares)
  else startSpares()
  try {
    await filled.promise
  } catch (error) {
    await close()
    throw error
  }
  return {
    jail: jail.report,
    limits,
    links: audience.links,
    attachWeb: (child) => serveWebProcess(audience.links(), child),
    kill,
    stats: () => ({
      runners: [...everyone].map((runner) => ({
        id: runner.id,
        role: roles.get(runner) ?? 'spare',
        ...runner.stats(),
      })),
      lost,
    }),
    close,
  }
}

import { createCodeCacheOpener } from '../code-cache.ts'
import { type Limits, resolveLimits } from '../limits.ts'
import type { RunnerLinks } from '../links.ts'
import { createLentBuffers } from '../wire/lent-buffers.ts'
import { type Connection, createConnection } from './connection.ts'
import { createDeadlines } from './deadlines.ts'
import { type OpenRequest, type Outcome, type Standing, takenOut } from './open-request.ts'
import { choosePlace } from './placement.ts'
import { createStackMapper } from './stack.ts'
import { createAllowances, type Allowance } from './allowances.ts'
import { createTrust } from './trust.ts'
import type { GuestAnswer, GuestFailure, GuestRequest, Installation } from './types.ts'

export type IsolateClientOptions = {
  links: RunnerLinks
  limits?: Partial<Limits>
  /** Key of sealed code caches; without it caches are ignored. */
  codeCacheKey?: Uint8Array
  /** An installation cost a runner its life. The caller counts, over all web processes, and decides. */
  onStrike?: (installation: Installation, reason: string) => void
  /** Asked before every call. */
  isDisabled?: (installation: Installation) => boolean
  log?: (line: { level: 'info' | 'warn' | 'error'; message: string }) => void
}

export type IsolateClient = {
  /** Runs one request in its installation's isolate. Never rejects: every failure is an answer. */
  call: (request: GuestRequest) => Promise<GuestAnswer>
  /** Ends an installation's isolates and their open requests, on every runner. */
  drop: (installationId: string) => void
  stats: () => { runners: number; isolates: number; open: number; retried: number; strikes: number }
  close: () => void
}

/** Tries that nobody's code is known to have ended. */
const maxTries = 2
/** Tries that another request ended, which is known and has failed for it. */
const maxInnocentTries = 4
const isInnocent = new Set<Standing>(['innocent', 'bystander'])
const hadItsModuleRun = new Set<Standing>(['innocent', 'suspect', 'starved'])

const entryName = /^[a-z][a-zA-Z0-9_.:-]{0,99}$/

export function createIsolateClient(options: IsolateClientOptions): IsolateClient {
  const limits = resolveLimits(options.limits)
  const connections = new Set<Connection>()
  const waiting = new Set<Waiting>()
  const allowanceOf = createAllowances(limits)
  const trust = createTrust()
  const mapStack = createStackMapper()
  const deadlines = createDeadlines()
  const lend = createLentBuffers()
  const openCodeCache = options.codeCacheKey ? createCodeCacheOpener(options.codeCacheKey) : () => undefined
  const figures = { open: 0, retried: 0, strikes: 0 }
  let closed = false

  const warn = (message: string) => options.log?.({ level: 'warn', message })
  const unsubscribe = options.links.subscribe((link) => {
    const connection = createConnection(link, {
      limits,
      openCodeCache,
      condemn: options.links.condemn,
      onCulprit(installation, reason) {
        figures.strikes++
        trust.suspect(installation.id)
        warn(
          `installation ${installation.id} (${installation.app} ${installation.version}) cost runner ${link.id}: ${reason}`,
        )
        options.onStrike?.(installation, reason)
      },
      onClosed: (gone) => connections.delete(gone),
      warn,
      deadlines,
      lend,
    })
    connections.add(connection)
    for (const { wake } of [...waiting]) wake()
  })

  const codeName = (installation: Installation) => `${installation.app}@${installation.version}`
  const place = (request: GuestRequest): Connection | undefined => {
    const { installation } = request
    const distrusted =
      request.quarantine || trust.isSuspect(installation.id) || !trust.isVouched(codeName(installation))
    const role = distrusted ? 'quarantine' : 'ordinary'
    const places: Connection[] = []
    for (const connection of connections) if (connection.role === role) places.push(connection)
    return choosePlace(installation.id, places)
  }
  /** While its runner is being replaced a call waits until its time is up: a busy machine needs long to start one. */
  const placeSoon = (request: GuestRequest, deadline: number) =>
    new Promise<Connection | 'none' | 'dropped'>((resolve) => {
      const finish = (found: Connection | 'none' | 'dropped') => {
        clearTimeout(patience)
        waiting.delete(entry)
        resolve(found)
      }
      const patience = setTimeout(() => finish('none'), deadline - performance.now())
      const wake = () => {
        const found = place(request)
        if (found || closed) finish(found ?? 'none')
      }
      const entry: Waiting = { installationId: request.installation.id, wake, drop: () => finish('dropped') }
      waiting.add(entry)
      wake()
    })

  const attempt = (connection: Connection, request: GuestRequest, call: Call, alone: boolean) =>
    new Promise<Outcome>((resolve) => {
      const session = connection.sessionFor(request)
      const opened: OpenRequest = {
        id: session.nextRequestId(),
        request,
        limits: call.allowance.limits,
        preamble: call.allowance.preamble,
        deadline: call.deadline,
        alone,
        open: true,
        answered: false,
        sent: false,
        pendingCalls: 0,
        totalCalls: 0,
        begun: call.begun,
        cpuUs: 0,
        watch: 0,
        logLines: 0,
        settle(outcome) {
          call.cpuUs += opened.cpuUs
          call.calls += opened.totalCalls
          call.begun ||= opened.begun || (outcome.kind === 'lost' && hadItsModuleRun.has(outcome.standing))
          call.hash = session.bundleHash()
          if (connection.role === 'quarantine' && outcome.kind === 'done') {
            trust.vouch(codeName(request.installation))
            // Its next call goes to an ordinary runner: this isolate would only take room here.
            if (session.requests.size() === 0 && place(request) !== connection) connection.dropSession(session)
          }
          resolve(outcome)
        },
      }
      session.begin(opened)
    })

  const run = async (request: GuestRequest, call: Call): Promise<Outcome> => {
    let outcome: Outcome = { kind: 'lost', reason: 'no runner came up in time', standing: 'unlucky' }
    let alone = false
    for (let tries = 0, innocent = 0; tries < maxTries && innocent < maxInnocentTries; ) {
      const connection = place(request) ?? (await placeSoon(request, call.deadline))
      if (connection === 'none') return outcome
      if (connection === 'dropped') return takenOut()
      outcome = await attempt(connection, request, call, alone)
      if (outcome.kind !== 'lost' || request.wrote?.()) return outcome
      // A starved request is tried until its time is up: the clock ends it, nobody blames it.
      if (outcome.standing === 'unlucky') tries++
      else if (isInnocent.has(outcome.standing)) innocent++
      // Whoever was one of several is tried once by itself, whatever befell it before: alone it is one of several no more.
      else if (outcome.standing === 'suspect') alone = true
      figures.retried++
    }
    return outcome
  }

  const failureOf = async (outcome: Outcome, request: GuestRequest, call: Call): Promise<GuestFailure> => {
    if (outcome.kind === 'lost') return { kind: 'runner_lost', message: outcome.reason }
    if (outcome.kind === 'done') throw new TypeError('a result is no failure')
    const { failure } = outcome
    if (failure.stack === undefined) return failure
    return { ...failure, stack: await mapStack(failure.stack, call.hash ?? '', request.loadBundle) }
  }

  return {
    async call(request) {
      const allowance = allowanceOf(request.limits)
      const deadline = performance.now() + allowance.limits.wallMs
      const call: Call = { allowance, deadline, cpuUs: 0, calls: 0, begun: false, hash: undefined }
      const answer = (error: GuestFailure): GuestAnswer => ({
        ok: false,
        error,
        cpuMs: call.cpuUs / 1_000,
        serviceCalls: call.calls,
      })
      if (options.isDisabled?.(request.installation)) {
        return answer({ kind: 'quarantined', message: 'this installation is disabled' })
      }
      if (!entryName.test(request.entry)) throw new TypeError(`"${request.entry}" is no entry name`)
      figures.open++
      try {
        const outcome = await run(request, call)
        if (outcome.kind !== 'done') return answer(await failureOf(outcome, request, call))
        return { ok: true, result: outcome.result, cpuMs: call.cpuUs / 1_000, serviceCalls: call.calls }
      } finally {
        figures.open--
      }
    },
    drop(installationId) {
      for (const connection of connections) connection.dropInstallation(installationId)
      for (const entry of [...waiting]) if (entry.installationId === installationId) entry.drop()
    },
    stats() {
      let isolates = 0
      for (const connection of connections) isolates += connection.isolates()
      return { runners: connections.size, isolates, ...figures }
    },
    close() {
      closed = true
      unsubscribe()
      for (const connection of connections) connection.close()
      connections.clear()
      for (const { wake } of [...waiting]) wake()
    },
  }
}

/** A call without a runner. */
type Waiting = { installationId: string; wake: () => void; drop: () => void }

/** One call: what it may use and, all its tries together, what it used. `deadline` is by `performance.now()`. */
type Call = {
  readonly allowance: Allowance
  readonly deadline: number
  cpuUs: number
  calls: number
  begun: boolean
  hash: string | undefined
}

import type { Caller, Viewer } from '../../partner-services/service/caller.ts'
import {
  type ErrorCode,
  type ErrorDetails,
  errorCatalogue,
  type Locale,
} from '../../partner-services/service/errors.ts'
import type { Operation } from '../../partner-services/service/operation.ts'
import type { Ports } from '../../partner-services/service/ports.ts'
import type { IsolateClient } from '../isolates/client/client.ts'
import { createStackMapper, mapLogged, namesPlaces } from '../isolates/client/stack.ts'
import type { FailureKind, GuestFailure, GuestText, Installation } from '../isolates/client/types.ts'
import { createIds } from '../ids.ts'
import type { ModuleDatabase } from '../module-database/module-database.ts'
import { currentCaller } from './current-caller.ts'
import { enteredAt } from './entered.ts'
import type { InstalledModule, InstalledModules } from './installed-modules.ts'
import type { ModuleLog } from './module-log.ts'
import { createServiceBridge } from './service-bridge.ts'

export type ModuleCall = {
  installation: InstalledModule
  viewer: Viewer | null
  locale: Locale
  /** `route`, `tool`, `describe`, …: what the SDK's guest side knows. */
  entry: string
  input: unknown
}

export type AnswerProblem = 'unusable_answer' | 'scripts_removed' | 'address_removed'

export type ModuleAnswer = { invocationId: string; cpuMs: number; serviceCalls: number } & (
  | ({
      ok: true
      /** Writes to the module's log what is wrong with its answer. */
      report(problem: AnswerProblem, message: string): void
    } & GuestText)
  | Refusal
)

type Refusal = { ok: false; status: number; code: ErrorCode; failure: GuestFailure } & ErrorDetails

export type ModuleCalls = { call(request: ModuleCall): Promise<ModuleAnswer> }

/** Seconds after which a caller may come back to a module that is quarantined or lost its runner. */
const retryAfter: Partial<Record<ErrorCode, number>> = { app_quarantined: 60, unavailable: 1 }

/** Logged stacks of one call that are shown in the partner's own files and lines. */
const maxLoggedStacks = 20

/** Runs modules: one call is one invocation, with a log of its own and the authority of the host's own records. */
export function createModuleCalls(options: {
  client: IsolateClient
  modules: Pick<InstalledModules, 'find' | 'loadBundle'>
  operations: readonly Operation[]
  ports: Ports
  moduleDatabase: ModuleDatabase
  log: ModuleLog
  /** Told of faults of ours in what modules asked for. */
  report: (fault: unknown) => void
}): ModuleCalls {
  const { client, modules, ports, moduleDatabase, log, report } = options
  const newId = createIds()
  const mapStack = createStackMapper(mapLogged)
  const operations = new Map(options.operations.map((operation) => [operation.name, operation]))

  return {
    async call({ installation, viewer, locale, entry, input }) {
      const invocationId = newId()
      const lines = log.open(installation, invocationId)
      if (installation.disabledReason !== null) {
        return refusal(invocationId, { kind: 'quarantined', message: installation.disabledReason })
      }
      let stacks = 0
      const inOwnFiles = (message: string): string | Promise<string> =>
        namesPlaces(message) && stacks++ < maxLoggedStacks
          ? mapStack(message, installation.bundleHash, () => modules.loadBundle(installation))
          : message
      const caller = callerOf(installation, viewer, locale)
      const confirm = () => currentCaller(modules, installation, caller)
      const bridge = createServiceBridge({ caller, confirm, operations, ports, moduleDatabase, report })
      const answer = await client.call({
        installation: asRun(installation),
        loadBundle: () => modules.loadBundle(installation),
        entry,
        input: JSON.stringify(input),
        serve: bridge.serve,
        wrote: bridge.wrote,
        limits: installation.limits,
        onLog: ({ level, message }) => lines.write(level, inOwnFiles(message)),
      })
      await bridge.close()
      const placeOf = () => `    in ${enteredAt(installation.contributions, entry, input)}`
      const used = { cpuMs: answer.cpuMs, serviceCalls: answer.serviceCalls }
      if (answer.ok && !('json' in answer.result)) {
        const report = (problem: AnswerProblem, message: string) =>
          lines.write('error', `${problem}: ${message}\n${placeOf()}`)
        return { ok: true, report, ...answer.result, invocationId, ...used }
      }
      const failure: GuestFailure = answer.ok
        ? { kind: 'unserialisable', message: 'the module did not answer through the SDK' }
        : answer.error
      const refused = refusal(invocationId, failure, bridge.detailsOf)
      lines.write('error', describeFailure(failure, placeOf(), refused.errors))
      return { ...refused, ...used }
    },
  }
}

/** An installation as runners and strikes know it. */
export const asRun = ({ installationId, slug, versionId, tenant }: InstalledModule): Installation => ({
  id: installationId,
  app: slug,
  version: versionId,
  tenantId: tenant.id,
})

function callerOf(module: InstalledModule, viewer: Viewer | null, locale: Locale): Caller {
  return {
    tenant: module.tenant,
    app: { slug: module.slug, integrationType: 'embedded' },
    installation: { id: module.installationId, rateLimited: false },
    scopes: module.scopes,
    viewer,
    locale,
  }
}

/** `place`: what was entered, for a stack may hold no frame of the module. `errors`: what the host told of wrong fields, which the module's own words leave out. */
const describeFailure = (
  { kind, message, stack }: GuestFailure,
  place: string,
  errors: ErrorDetails['errors'] = {},
): string => {
  const fields = Object.entries(errors).map(([field, messages]) => `${field}: ${messages.join(' · ')}`)
  return [`${kind}: ${message}`, ...fields, ...(stack ? [stack] : []), place].join('\n')
}

/** What a failure looks like from outside. Everything that is the module's own fault is a 500 with an invocation id. */
const codesByKind: Partial<Record<FailureKind, ErrorCode>> = {
  quarantined: 'app_quarantined',
  runner_lost: 'unavailable',
  dropped: 'unavailable',
}

/** Refusals of the service layer that a module let through keep their status. */
const passedOn = new Set<string>([
  'scope_not_granted',
  'not_found',
  'invalid_data',
  'invalid_state',
  'not_author',
  'unavailable',
])

function refusal(
  invocationId: string,
  failure: GuestFailure,
  detailsOf: (code: string) => ErrorDetails = () => ({}),
): ModuleAnswer & Refusal {
  const passed = failure.kind === 'threw' && failure.code !== undefined && passedOn.has(failure.code)
  const code = passed ? (failure.code as ErrorCode) : (codesByKind[failure.kind] ?? 'internal')
  const seconds = retryAfter[code]
  return {
    ok: false,
    status: errorCatalogue[code].status,
    code,
    ...(seconds === undefined ? {} : { retryAfter: seconds }),
    ...(passed ? detailsOf(code) : {}),
    failure,
    invocationId,
    cpuMs: 0,
    serviceCalls: 0,
  }
}

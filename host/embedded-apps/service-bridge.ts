import { callOperation } from '../../partner-services/service/call-operation.ts'
import type { Caller } from '../../partner-services/service/caller.ts'
import { type ErrorDetails, ServiceError } from '../../partner-services/service/errors.ts'
import type { Operation } from '../../partner-services/service/operation.ts'
import type { Ports } from '../../partner-services/service/ports.ts'
import { isUnavailable } from '../database/unavailable.ts'
import { ModuleSqlError } from '../module-database/errors.ts'
import type { ModuleDatabase } from '../module-database/module-database.ts'
import { readArguments } from './guest-arguments.ts'
import { createModuleStatements, type ModuleStatements } from './module-statements.ts'

/** What one request of a guest may reach. It ends with the request, and sooner where the school takes it away. */
export type ServiceBridge = {
  /** JSON text in, JSON text out. `path` and `args` are the guest's words; authority is the caller's, fixed here. */
  serve(path: string, args: string): Promise<string>
  /** True once this request changed anything: it may not be tried again. */
  wrote(): boolean
  /** What may travel with the last refusal of this code: from the host's own error, never from a guest's words. */
  detailsOf(code: string): ErrorDetails
  /** Ends what the request left open, if anything may be. */
  close(): Promise<void> | undefined
}

/** The door of embedded apps: it translates and decides nothing. */
export function createServiceBridge(options: {
  caller: Caller
  /** The caller as it may act now; asked before everything it does. Rejects where it may not any more. */
  confirm: () => Promise<Caller>
  operations: ReadonlyMap<string, Operation>
  ports: Ports
  moduleDatabase: ModuleDatabase
  /** Told of the first fault of ours; of others than a database that is away a guest hears only that the call failed. */
  report: (fault: unknown) => void
}): ServiceBridge {
  const { caller, confirm, operations, ports, moduleDatabase, report } = options
  let statements: ModuleStatements | undefined
  const refusals = new Map<string, ErrorDetails>()
  let wrote = false
  let faulted = false

  async function callService(name: string, args: string): Promise<string> {
    const operation = operations.get(name)
    if (!operation) throw notOffered(`services.${name}`)
    if (operation.writes) wrote = true
    const { body } = await callOperation(operation, readArguments(args) ?? {}, { caller: await confirm(), ports })
    return body
  }

  function runStatement(verb: string, args: string): Promise<string> {
    statements ??= createModuleStatements(moduleDatabase, caller, confirm)
    return statements.serve(verb, args)
  }

  function tell(fault: unknown): void {
    if (!faulted) report(fault)
    faulted = true
  }

  return {
    async serve(path, args) {
      try {
        if (path.startsWith('services.')) return await callService(path.slice('services.'.length), args)
        if (path.startsWith('db.')) return await runStatement(path.slice('db.'.length), args)
      } catch (thrown) {
        if (thrown instanceof ModuleSqlError) throw guestSqlError(thrown)
        if (thrown instanceof NotOffered) throw thrown
        if (!(thrown instanceof ServiceError)) tell(thrown)
        const error = isUnavailable(thrown) ? new ServiceError('unavailable', { retryAfter: 1 }) : thrown
        if (!(error instanceof ServiceError)) throw error
        refusals.set(error.code, error.details)
        throw guestError(error)
      }
      throw notOffered(path)
    },
    detailsOf: (code) => refusals.get(code) ?? {},
    wrote: () => wrote || (statements?.wrote() ?? false),
    close: () => statements?.close(),
  }
}

/**
 * What no call of this host answers. None of the catalogue's errors: a module that lets it through is at fault, and its log has
 * the place; its user is not told that a record is missing.
 */
class NotOffered extends Error {
  readonly code = 'not_offered'
  readonly status = 501
}

const notOffered = (path: string) => new NotOffered(`this host does not offer \`${path}\``)

const unavailable = new Set<string>(['timeout', 'unavailable'])

/** A refusal with the fields that a guest may see where the isolates' client looks for them. */
function guestError({ code, status, message, details }: ServiceError): Error {
  const { scope, errors, retryAfter } = details
  return Object.assign(new Error(message), { code, status, scope, errors, retry_after: retryAfter })
}

function guestSqlError({ code, message }: ModuleSqlError): Error {
  return Object.assign(new Error(message), { code, message, status: unavailable.has(code) ? 503 : 422 })
}

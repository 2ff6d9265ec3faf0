import { callOperation } from '../../partner-services/service/call-operation.ts'
import type { Caller } from '../../partner-services/service/caller.ts'
import { type ErrorDetails, ServiceError } from '../../partner-services/service/errors.ts'
import type { Operation } from '../../partner-services/service/operation.ts'
import type { Ports } from '../../partner-services/service/ports.ts'
import { ModuleSqlError } from '../module-database/errors.ts'
import type { ModuleDatabase } from '../module-database/module-database.ts'
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
}): ServiceBridge {
  const { caller, confirm, operations, ports, moduleDatabase } = options
  let statements: ModuleStatements | undefined
  const refusals = new Map<string, ErrorDetails>()
  let wrote = false

  async function callService(name: string, args: string): Promise<string> {
    const operation = operations.get(name)
    if (!operation) throw new ServiceError('not_found')
    if (operation.writes) wrote = true
    const { body } = await callOperation(operation, JSON.parse(args) ?? {}, { caller: await confirm(), ports })
    return body
  }

  function runStatement(verb: string, args: string): Promise<string> {
    statements ??= createModuleStatements(moduleDatabase, caller, confirm)
    return statements.serve(verb, args)
  }

  return {
    async serve(path, args) {
      try {
        if (path.startsWith('services.')) return await callService(path.slice('services.'.length), args)
        if (path.startsWith('db.')) return await runStatement(path.slice('db.'.length), args)
      } catch (error) {
        if (error instanceof ServiceError) refusals.set(error.code, error.details)
        throw guestError(error)
      }
      throw new ServiceError('not_found')
    },
    detailsOf: (code) => refusals.get(code) ?? {},
    wrote: () => wrote || (statements?.wrote() ?? false),
    close: () => statements?.close(),
  }
}

const unavailable = new Set<string>(['timeout', 'unavailable'])

/** A refusal with the fields that a guest may see where the isolates' client looks for them; others pass as they are. */
function guestError(error: unknown): unknown {
  if (error instanceof ServiceError) {
    const { code, status, message, details } = error
    const { scope, errors, retryAfter } = details
    return Object.assign(new Error(message), { code, status, scope, errors, retry_after: retryAfter })
  }
  if (!(error instanceof ModuleSqlError)) return error
  const { code, message } = error
  return Object.assign(new Error(message), { code, message, status: unavailable.has(code) ? 503 : 422 })
}

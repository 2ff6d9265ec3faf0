import { callOperation } from '../../partner-services/service/call-operation.ts'
import type { Caller } from '../../partner-services/service/caller.ts'
import { ServiceError } from '../../partner-services/service/errors.ts'
import type { Operation } from '../../partner-services/service/operation.ts'
import type { Ports } from '../../partner-services/service/ports.ts'
import type { ModuleDatabase } from '../module-database/module-database.ts'
import { createModuleStatements } from './module-statements.ts'

/** What one request of a guest may reach. It ends with the request. */
export type ServiceBridge = {
  /** JSON text in, JSON text out. `path` and `args` are the guest's words; authority is the caller's, fixed here. */
  serve(path: string, args: string): Promise<string>
  /** True once this request changed anything: it may not be tried again. */
  wrote(): boolean
  /** Ends what the request left open. */
  close(): Promise<void>
}

/** The door of embedded apps: it translates and decides nothing. */
export function createServiceBridge(options: {
  caller: Caller
  operations: ReadonlyMap<string, Operation>
  ports: Ports
  moduleDatabase: ModuleDatabase
}): ServiceBridge {
  const { caller, operations, ports, moduleDatabase } = options
  const statements = createModuleStatements(moduleDatabase, caller)
  let wrote = false

  async function callService(name: string, args: string): Promise<string> {
    const operation = operations.get(name)
    if (!operation) throw new ServiceError('not_found')
    if (operation.writes) wrote = true
    const { body } = await callOperation(operation, JSON.parse(args) ?? {}, { caller, ports })
    return body
  }

  return {
    async serve(path, args) {
      const [kind, ...rest] = path.split('.')
      const name = rest.join('.')
      if (kind === 'services') return callService(name, args)
      if (kind === 'db') return statements.serve(name, args)
      throw new ServiceError('not_found')
    },
    wrote: () => wrote || statements.wrote(),
    close: () => statements.close(),
  }
}

import type pg from 'pg'
import { createGuard } from '../../policy/sql/worker.ts'
import { createModuleDatabase, type LeftBehind, type ModuleDatabase } from './module-database.ts'
import type { RoleSecrets } from './provision.ts'
import { schemaQuota, type SchemaSizes, watchSchemaSizes } from './schema-size.ts'
import { createStatementGuard } from './statement-guard.ts'
import { watchUnstopped } from './unstopped.ts'

/** Modules' database as a web process serves it: guarded by a thread, with sizes and statements left behind watched. */
export function openModuleDatabase(options: {
  connection: { core: pg.ClientConfig; suffix: string }
  secrets: RoleSecrets
  /** The core role's pool, for the sizes, and the system role's, for what was left behind. */
  pools: { core: pg.Pool; system: pg.Pool }
  /** Whether the server's processes are this machine's. */
  sameMachine: boolean
  /** Told of a statement that goes on although it was cancelled. */
  onUnstopped: (left: LeftBehind) => Promise<void>
  /** Where a fault in the watching goes. */
  report: (what: string) => (error: unknown) => void
}): { database: ModuleDatabase; close(): Promise<void> } {
  const { connection, secrets, pools, sameMachine, onUnstopped, report } = options
  const guard = createGuard()
  let sizes: SchemaSizes | null = null
  watchSchemaSizes(pools.core, { quotaBytes: schemaQuota }).then((watch) => {
    sizes = watch
  }, report('schema sizes not watched'))
  const unstopped = watchUnstopped({
    system: pools.system,
    sameMachine,
    onFound: onUnstopped,
    onError: report('statements left behind not looked for'),
  })
  const database = createModuleDatabase({
    connection: connection.core,
    suffix: connection.suffix,
    secrets,
    guard: createStatementGuard(guard),
    isOverSize: (schema) => sizes?.isOver(schema) ?? false,
    onUnstopped: unstopped.watch,
  })
  return {
    database,
    async close() {
      sizes?.stop()
      unstopped.close()
      database.close()
      await guard.close()
    },
  }
}

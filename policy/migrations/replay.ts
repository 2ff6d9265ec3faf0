import { createNames, type NamesInUse } from '../sql/names-in-use.ts'
import type { CoreReference } from './core-references.ts'
import type { MigrationFile } from './folder.ts'
import type { ModuleSchema } from './module-schema.ts'
import type { PlanOptions } from './plan.ts'
import { planMigration } from './plan.ts'

/**
 * What migrations that were imported before have made, read from their frozen texts: give it to `planMigration` with
 * the next file. `columns` is undefined when one of the texts can no longer be planned; conditions are refused then.
 */
export async function replayMigrations(
  imported: readonly MigrationFile[],
  options: PlanOptions,
): Promise<{
  columns: ModuleSchema | undefined
  coreReferences: readonly CoreReference[]
  names: NamesInUse
}> {
  let columns: ModuleSchema | undefined = new Map()
  const coreReferences: CoreReference[] = []
  const names = createNames()
  for (const migration of imported) {
    // What was imported is no danger any more.
    const plan = await planMigration(migration, { ...options, knownTables: new Set(), columns, names })
    columns = plan.columns
    coreReferences.push(...plan.coreReferences)
  }
  return { columns, coreReferences, names }
}

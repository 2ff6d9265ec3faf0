import type { MigrationFile } from '../../../policy/migrations/folder.ts'
import { planOptionsOf } from '../../../policy/migrations/known-schema.ts'
import { planMigration } from '../../../policy/migrations/plan.ts'
import type { MigrationPlanner } from './migration-types.ts'

/**
 * Plans with the policy's own reader, in this process. `coreTables`: what `core_reference:<table>` may name. Each file is
 * judged by what the schema holds and by what the files of the same run before it add.
 */
export function createMigrationPlanner(coreTables: ReadonlySet<string>): MigrationPlanner<MigrationFile> {
  const runs = new WeakMap<object, ReturnType<typeof planOptionsOf>>()
  return async (file, target) => {
    const state = runs.get(target.known) ?? planOptionsOf(target.known)
    const { known, ...given } = target
    const knownTables = new Set(given.knownTables)
    const plan = await planMigration(file, { ...given, knownTables, coreTables, ...state })
    runs.set(target.known, {
      ...state,
      ...(plan.columns && { columns: plan.columns }),
      coreReferences: [...state.coreReferences, ...plan.coreReferences],
    })
    return plan
  }
}

import type { MigrationFile } from '../../../policy/migrations/folder.ts'
import { planMigration } from '../../../policy/migrations/plan.ts'
import type { MigrationPlanner } from './migration-types.ts'

/** Plans with the policy's own reader, in this process. `coreTables`: what `core_reference:<table>` may name. */
export function createMigrationPlanner(coreTables: ReadonlySet<string>): MigrationPlanner<MigrationFile> {
  return (file, target) => planMigration(file, { ...target, coreTables })
}

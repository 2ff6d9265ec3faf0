import { randomUUID } from 'node:crypto'
import { moduleRoleNames } from '../../module-database/role-names.ts'
import type { ReviewReport } from '../../lifecycle/report.ts'
import type { ReportedFinding } from '../../builder/messages.ts'
import { pendingMigrations, readHistory } from '../migrations/history.ts'
import { knownSchema } from '../migrations/known-schema.ts'
import { MigrationImportError } from '../migrations/migration-types.ts'
import { runningCode } from '../migrations/running-code.ts'
import type { PublisherContext } from '../publisher-context.ts'
import { fromImport, fromMigration } from '../refused.ts'
import type { Workbench } from '../source/workshop.ts'

export type CheckedMigrations = {
  findings: ReportedFinding[]
  migrations: NonNullable<ReviewReport['migrations']>
}

/**
 * What an import into the live schema would do; nothing is applied. What breaks the version that schools run now is an
 * error: some of them keep it until they approve new scopes.
 */
export async function checkMigrations(
  { provisioning, suffix, system }: PublisherContext,
  slug: string,
  { builder }: Workbench,
): Promise<CheckedMigrations> {
  const folder = await builder.ask('migrations')
  const unread = folder.findings.map(fromMigration)
  if (unread.some(({ severity }) => severity === 'error') || folder.migrations.length === 0)
    return { findings: unread, migrations: [] }
  const roles = moduleRoleNames(slug, { suffix })
  const client = await provisioning.connect()
  try {
    const history = await readHistory(client, roles.schema)
    const pending = new Set(pendingMigrations(folder.migrations, history, 'live'))
    const known = await knownSchema(client, roles.schema, await runningCode({ system }, slug))
    const knownTables = [...new Set(known.columns.map(({ table }) => table))]
    const run = { id: randomUUID(), known }
    const target = { schema: `m_${slug}`, runSchema: roles.schema, runtimeRole: roles.runtime, knownTables }
    const checked: CheckedMigrations = { findings: unread, migrations: [] }
    for (const file of folder.migrations) {
      if (!pending.has(file)) {
        checked.migrations.push({ file: file.file, status: 'applied', statements: 0, reverse: [] })
        continue
      }
      const plan = await builder.ask('plan', { version: file.version, run, target })
      checked.findings.push(...plan.findings.map(fromMigration))
      const { statements, reverse = [] } = plan
      checked.migrations.push({ file: file.file, status: 'pending', statements: statements.length, reverse })
    }
    return checked
  } catch (error) {
    if (!(error instanceof MigrationImportError)) throw error
    return { findings: fromImport(error), migrations: [] }
  } finally {
    client.release()
  }
}

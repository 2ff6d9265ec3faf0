import { join } from 'node:path'
import { readMigrationFolder } from '../../policy/migrations/folder.ts'
import { provisionModule } from '../module-database/provision.ts'
import { ReportedError } from '../processes/rpc.ts'
import { importTarget } from './import-target.ts'
import { importMigrations, type TenantsOfModule } from './migrations/import.ts'
import { MigrationImportError } from './migrations/migration-types.ts'
import { createMigrationPlanner } from './migrations/planner.ts'
import type { PublisherContext } from './publisher-context.ts'

/** What a column's `core_reference:<table>` may name. */
export const coreTables: ReadonlySet<string> = new Set([
  'students',
  'guardians',
  'employees',
  'subjects',
  'grades',
  'sections',
  'academic_years',
  'terms',
])

/** Makes the module's schemas and applies what its folder adds: first in the sandbox's, then in the live one. */
export async function importModuleMigrations(
  context: PublisherContext,
  slug: string,
  folder: string,
  release: string,
): Promise<string[]> {
  const { migrations, findings } = await readMigrationFolder(join(folder, 'migrations'))
  if (findings.some(({ severity }) => severity === 'error'))
    throw new ReportedError('the migrations cannot be read', { findings })
  const target = importTarget(context, slug)
  const client = await context.provisioning.connect()
  try {
    await provisionModule(client, { ...target, database: context.database })
  } finally {
    client.release()
  }
  try {
    const applied = await importMigrations({
      ...target,
      files: migrations,
      plan: createMigrationPlanner(coreTables),
      release,
      tenants: () => tenantsOf(context, slug),
    })
    return [...new Set(applied.map(({ file }) => file))]
  } catch (error) {
    if (!(error instanceof MigrationImportError)) throw error
    throw new ReportedError(error.message, {
      findings:
        error.findings.length > 0
          ? error.findings
          : [{ rule: error.code, file: error.file, line: error.line ?? 1, message: error.message }],
    })
  }
}

async function tenantsOf({ system }: PublisherContext, slug: string): Promise<TenantsOfModule> {
  const { rows } = await system.query<{ id: string; sandbox: boolean }>(
    `select t.id, t.sandbox from core.installations i join core.apps a on a.id = i.app_id join core.tenants t on t.id = i.tenant_id
      where a.slug = $1 and i.status <> 'uninstalled'`,
    [slug],
  )
  const ids = (sandbox: boolean) => rows.filter((row) => row.sandbox === sandbox).map(({ id }) => id)
  return { sandbox: ids(true), live: ids(false) }
}

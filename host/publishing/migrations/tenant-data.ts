import type pg from 'pg'
import { moduleRoleNames } from '../../module-database/role-names.ts'
import { inOneTransaction, migrationSteps, tenantRecords } from './apply.ts'
import { readHistory } from './history.ts'
import { planAll } from './import.ts'
import type { ImportTarget, MigrationHead, MigrationPlanner } from './migration-types.ts'
import { withModuleLock, withOwner } from './owner-session.ts'

export type TenantDataOptions<File extends MigrationHead> = ImportTarget & {
  files: readonly File[]
  plan: MigrationPlanner<File>
  kind: 'sandbox' | 'live'
  tenantId: string
}

/**
 * Gives a school that installs an app the rows which the app's migrations gave to the schools before it: the data
 * statements of every applied migration, in order, once. Answers the versions that were carried out now.
 */
export async function applyTenantData<File extends MigrationHead>(options: TenantDataOptions<File>): Promise<string[]> {
  const { kind, tenantId } = options
  const roles = moduleRoleNames(options.slug, { suffix: options.suffix, kind })
  return withModuleLock(options, async (superuser) => {
    const missing = await versionsWithout(superuser, roles.schema, tenantId)
    const files = options.files.filter(({ version }) => missing.has(version))
    const planned = await planAll(files.toSorted(byVersion), options, roles, new Set(), kind)
    const work = planned.filter(({ plan }) => plan.statements.some(isData))
    if (work.length === 0) return []
    await withOwner(superuser, options, roles, async (session) => {
      const context = { kind, tenantIds: [tenantId] }
      for (const { file, plan } of work) {
        const steps = migrationSteps(session, { statements: plan.statements.filter(isData) }, context)
        await inOneTransaction(session, [...steps, ...tenantRecords(session, file, plan, context)], file, context)
      }
    })
    return work.map(({ file }) => file.version)
  })
}

/** After a tenant's rows were erased: should it come back, it starts anew. */
export async function forgetTenantData(
  superuser: pg.ClientBase,
  module: { slug: string; suffix: string; kind: 'sandbox' | 'live' },
  tenantId: string,
): Promise<void> {
  const { schema } = moduleRoleNames(module.slug, module)
  await superuser.query('delete from module_host.tenant_data where schema = $1 and tenant_id = $2', [schema, tenantId])
}

const byVersion = (a: MigrationHead, b: MigrationHead) => (a.version < b.version ? -1 : 1)
const isData = ({ class: kind }: { class: 'ddl' | 'data' }) => kind === 'data'

async function versionsWithout(superuser: pg.ClientBase, schema: string, tenantId: string): Promise<Set<string>> {
  const { rows } = await superuser.query<{ version: string }>(
    'select version from module_host.tenant_data where schema = $1 and tenant_id = $2',
    [schema, tenantId],
  )
  const had = new Set(rows.map(({ version }) => version))
  const applied = (await readHistory(superuser, schema)).map(({ version }) => version)
  return new Set(applied.filter((version) => !had.has(version)))
}

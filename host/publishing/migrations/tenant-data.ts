import type pg from 'pg'
import { moduleRoleNames } from '../../module-database/role-names.ts'
import { inOneTransaction, migrationSteps, tenantRecords } from './apply.ts'
import type { ImportTarget } from './migration-types.ts'
import { withModuleLock, withOwner } from './owner-session.ts'

export type TenantDataOptions = ImportTarget & { kind: 'sandbox' | 'live'; tenantId: string }

type AppliedData = { version: string; name: string; data: { sql: string; line: number }[] }

/**
 * Gives a school that installs an app the rows which the app's migrations gave to the schools before it: the data
 * statements of every applied migration as they ran then, in order, each migration's once. Answers the versions that
 * were carried out now.
 */
export async function applyTenantData(options: TenantDataOptions): Promise<string[]> {
  const { kind, tenantId } = options
  const roles = moduleRoleNames(options.slug, { suffix: options.suffix, kind })
  return withModuleLock(options, async (superuser) => {
    const missing = await dataWithout(superuser, roles.schema, tenantId)
    if (missing.length === 0) return []
    await withOwner(superuser, options, roles, async (session) => {
      const context = { kind, tenantIds: [tenantId] }
      for (const { version, name, data } of missing) {
        const plan = { statements: data.map((statement) => ({ ...statement, class: 'data' as const })) }
        const steps = [...migrationSteps(session, plan, context), ...tenantRecords(session, { version }, plan, context)]
        await inOneTransaction(session, steps, { file: `${version}_${name}` }, context)
      }
    })
    return missing.map(({ version }) => version)
  })
}

/**
 * Those tenants that have had the data statements of every applied migration. The others wait for `applyTenantData`: a
 * new migration's statements come after those before it.
 */
export async function tenantsUpToDate(
  superuser: pg.ClientBase,
  schema: string,
  tenantIds: readonly string[],
): Promise<string[]> {
  const { rows } = await superuser.query<{ id: string }>(
    `select id from unnest($2::text[]) tenant (id) where not exists (
       select from module_host.history h where h.schema = $1 and h.data <> '[]' and not exists (
         select from module_host.tenant_data t where t.schema = h.schema and t.tenant_id = tenant.id and t.version = h.version))`,
    [schema, tenantIds],
  )
  return rows.map(({ id }) => id)
}

async function dataWithout(superuser: pg.ClientBase, schema: string, tenantId: string): Promise<AppliedData[]> {
  const { rows } = await superuser.query<AppliedData>(
    `select h.version, h.name, h.data from module_host.history h
     where h.schema = $1 and h.data <> '[]' and not exists (
       select from module_host.tenant_data t where t.schema = h.schema and t.tenant_id = $2 and t.version = h.version)
     order by h.version`,
    [schema, tenantId],
  )
  return rows
}

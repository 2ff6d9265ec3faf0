import type pg from 'pg'
import { moduleRoleNames, type TenantSchemaKind } from '../../module-database/role-names.ts'
import { inOneTransaction, migrationSteps, type PlannedStep, type RunContext, tenantRecords } from './apply.ts'
import { type ImportTarget, MigrationImportError } from './migration-types.ts'
import { type OwnerSession, withModuleLock, withOwner } from './owner-session.ts'

export type TenantDataOptions = ImportTarget & { kind: TenantSchemaKind; tenantId: string }

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
    await withOwner(superuser, options, roles, (session) =>
      applyData(session, missing, { kind, tenantIds: [tenantId] }),
    )
    return missing.map(({ version }) => version)
  })
}

/**
 * Gives every tenant what it is yet to get of the applied migrations, since a new one's statements come after those before
 * it. Answers the tenants that have had all; one whose own rows stand against an earlier statement is none of them, and
 * holds up no release.
 */
export async function bringUpToDate(
  superuser: pg.ClientBase,
  session: OwnerSession,
  { kind, tenantIds }: Pick<RunContext, 'kind' | 'tenantIds'>,
): Promise<string[]> {
  const { schema } = session.roles
  const behind = await tenantsBehind(superuser, schema, tenantIds)
  const refused = new Set<string>()
  for (const tenantId of behind) {
    try {
      await applyData(session, await dataWithout(superuser, schema, tenantId), { kind, tenantIds: [tenantId] })
    } catch (error) {
      if (!(error instanceof MigrationImportError)) throw error
      refused.add(tenantId)
    }
  }
  return tenantIds.filter((tenantId) => !refused.has(tenantId))
}

async function applyData(
  session: OwnerSession,
  missing: readonly AppliedData[],
  context: Pick<RunContext, 'kind' | 'tenantIds'>,
): Promise<void> {
  for (const { version, name, data } of missing) {
    const plan = { statements: data.map((statement) => ({ ...statement, class: 'data' as const })) }
    function* steps(): Generator<PlannedStep> {
      yield* migrationSteps(session, plan, context)
      yield* tenantRecords(session, { version }, plan, context)
    }
    await inOneTransaction(session, steps(), { file: `${version}_${name}` }, context)
  }
}

async function tenantsBehind(
  superuser: pg.ClientBase,
  schema: string,
  tenantIds: readonly string[],
): Promise<string[]> {
  const { rows } = await superuser.query<{ id: string }>(
    `select id from unnest($2::text[]) tenant (id) where exists (
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

import pg from 'pg'
import type { EndedInstallation } from '../../installations/erase.ts'
import { isSuperuser } from '../../module-database/is-superuser.ts'
import { runPipeline, unnamedStep } from '../../module-database/pipeline.ts'
import { type ModuleRoles, moduleRoleNames } from '../../module-database/role-names.ts'
import { knownColumns } from './known-schema.ts'
import { type OwnerSession, withModuleLock, withOwner } from './owner-session.ts'
import type { TenantDataOptions } from './tenant-data.ts'

/** What was erased is counted under the installation that ends. `isKept` is asked under the module's lock. */
export type ErasureOptions = TenantDataOptions & Pick<EndedInstallation, 'installationId' | 'isKept'>

/**
 * Erases one school's rows in a module's schema, behind its gate: no other school's row can go with them. What the
 * migrations gave it is forgotten too, so a school that comes back starts anew. Answers the rows of each table that had
 * some, those of an earlier run that was cut short included. Throws if a row is left. A school that has the app again keeps
 * them.
 */
export async function eraseModuleRows(options: ErasureOptions): Promise<Record<string, number>> {
  const roles = moduleRoleNames(options.slug, options)
  return withModuleLock(options, async (superuser) => {
    if (await options.isKept?.()) return erasedRows(superuser, roles.schema, options)
    const tables = [...new Set((await knownColumns(superuser, roles.schema)).map(({ table }) => table))]
    if (tables.length > 0) {
      await withOwner(superuser, options, roles, async (session) =>
        (await isSuperuser(superuser))
          ? deleteRows(superuser, session, tables, { ...options, first: withoutChecks(roles) })
          : withKeyIndexes(session, () => deleteRows(session.client, session, tables, options)),
      )
    }
    const left = await rowsOf(superuser, roles.schema, tables, options.tenantId)
    if (left > 0) throw new Error(`erasure left ${left} rows in ${roles.schema}`)
    return erasedRows(superuser, roles.schema, options)
  })
}

/** What was erased for the end of this installation, by this run and those before. */
async function erasedRows(
  superuser: pg.ClientBase,
  schema: string,
  { tenantId, installationId }: ErasureOptions,
): Promise<Record<string, number>> {
  const { rows } = await superuser.query<{ table: string; rows: string }>(
    `select "table", rows from module_host.erased where schema = $1 and tenant_id = $2 and installation_id = $3
      order by "table"`,
    [schema, tenantId, installationId],
  )
  return Object.fromEntries(rows.map(({ table, rows: count }) => [table, Number(count)]))
}

/**
 * As the owner, behind the gate, but no key is checked row by row: a key leads from a tenant's row to a row of the same
 * tenant and schema only (the third wall), and those all go.
 */
const withoutChecks = ({ owner, schema }: ModuleRoles): string[] => [
  'set local session_replication_role = replica',
  `set local session authorization ${pg.escapeIdentifier(owner)}`,
  `set local search_path = ${pg.escapeIdentifier(schema)}`,
]

/** Keys that no index begins with: checking the deletion of n rows would read n times n. */
const keysWithoutIndex = `
  select k.oid::text as key, k.conrelid::regclass::text as "table", (
      select string_agg(quote_ident(a.attname), ', ' order by c.place)
      from unnest(k.conkey) with ordinality c (number, place) join pg_attribute a on a.attrelid = k.conrelid and a.attnum = c.number
    ) as columns
  from pg_constraint k where k.contype = 'f' and k.connamespace = $1::regnamespace and not exists (
    select from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am m on m.oid = c.relam
    where i.indrelid = k.conrelid and i.indisvalid and i.indpred is null and m.amname = 'btree'
      and (i.indkey::int2[])[0:cardinality(k.conkey) - 1] @> k.conkey)`

/**
 * Committed before the rows go, so that other schools' writes wait for the making only; one left behind does no harm. None
 * of it, nor the work, ends by the time limits of a migration.
 */
async function withKeyIndexes(session: OwnerSession, work: () => Promise<void>): Promise<void> {
  const { client, roles } = session
  await client.query('set statement_timeout = 0; set transaction_timeout = 0')
  const found = await client.query<{ key: string; table: string; columns: string }>(keysWithoutIndex, [roles.schema])
  for (const { key, table, columns } of found.rows)
    await client.query(`create index erasure_by_key_${key} on ${table} (${columns})`)
  await work()
  for (const { key } of found.rows) await client.query(`drop index erasure_by_key_${key}`)
}

/**
 * One statement for all tables: keys between them, circles too, are checked when every row is gone. It counts them as
 * well, so that no count is lost when this run is cut short. It takes as long as there are rows.
 */
async function deleteRows(
  client: pg.Client,
  session: OwnerSession,
  tables: readonly string[],
  { tenantId, installationId, first = [] }: ErasureOptions & { first?: readonly string[] },
): Promise<void> {
  const deletions = tables.map(
    (table, at) => `d${at} as (delete from ${pg.escapeIdentifier(table)} where tenant_id = $1 returning 1)`,
  )
  const counts = tables.map((table, at) => `(${pg.escapeLiteral(table)}, (select count(*) from d${at}))`)
  const removed = `select jsonb_object_agg("table", rows) from (values ${counts.join(', ')}) removed ("table", rows)`
  const steps = [
    unnamedStep('begin'),
    ...first.map((text) => unnamedStep(text)),
    unnamedStep('select gate.enter($1, $2)', [tenantId, session.gateSecret]),
    unnamedStep(`with ${deletions.join(', ')} select module_host.record_erasure($1, $2, (${removed}), $3)`, [
      ...[tenantId, installationId, session.runnerSecret],
    ]),
    unnamedStep('commit'),
  ]
  try {
    await runPipeline(client, steps)
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}

/** Looks again, past the gate. */
async function rowsOf(
  superuser: pg.ClientBase,
  schema: string,
  tables: readonly string[],
  tenantId: string,
): Promise<number> {
  if (tables.length === 0) return 0
  const counts = tables.map(
    (table) =>
      `(select count(*) from ${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(table)} where tenant_id = $1)`,
  )
  const { rows } = await superuser.query<{ left: number }>(`select (${counts.join(' + ')})::int as left`, [tenantId])
  return rows[0]?.left ?? 0
}

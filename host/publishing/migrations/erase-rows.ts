import pg from 'pg'
import { runPipeline, unnamedStep } from '../../module-database/pipeline.ts'
import { moduleRoleNames } from '../../module-database/role-names.ts'
import { knownColumns } from './known-columns.ts'
import { type OwnerSession, withModuleLock, withOwner } from './owner-session.ts'
import type { TenantDataOptions } from './tenant-data.ts'

/**
 * Erases one school's rows in a module's schema, behind its gate: no other school's row can go with them. What the
 * migrations gave it is forgotten too, so a school that comes back starts anew. Answers the rows of each table that had
 * some. Throws if a row is left.
 */
export async function eraseModuleRows(options: TenantDataOptions): Promise<Record<string, number>> {
  const { kind, tenantId } = options
  const roles = moduleRoleNames(options.slug, { suffix: options.suffix, kind })
  return withModuleLock(options, async (superuser) => {
    const tables = [...new Set((await knownColumns(superuser, roles.schema)).map(({ table }) => table))]
    const removed =
      tables.length === 0
        ? []
        : await withOwner(superuser, options, roles, (session) => deleteRows(session, tables, tenantId))
    const left = await rowsOf(superuser, roles.schema, tables, tenantId)
    if (left > 0) throw new Error(`erasure left ${left} rows in ${roles.schema}`)
    await superuser.query('delete from module_host.tenant_data where schema = $1 and tenant_id = $2', [
      roles.schema,
      tenantId,
    ])
    return Object.fromEntries(
      tables.map((table, at) => [table, removed[at] ?? 0] as const).filter(([, rows]) => rows > 0),
    )
  })
}

/** One statement for all tables: keys between them, circles too, are checked when every row is gone. */
async function deleteRows(session: OwnerSession, tables: readonly string[], tenantId: string): Promise<number[]> {
  const deletions = tables.map(
    (table, at) => `d${at} as (delete from ${pg.escapeIdentifier(table)} where tenant_id = $1 returning 1)`,
  )
  const counts = tables.map((_, at) => `(select count(*) from d${at})`)
  const answer: (string | null)[][] = []
  const steps = [
    unnamedStep('begin'),
    unnamedStep('select gate.enter($1, $2)', [tenantId, session.gateSecret]),
    unnamedStep(`with ${deletions.join(', ')} select ${counts.join(', ')}`, [tenantId], (fields) =>
      answer.push(fields),
    ),
    unnamedStep('commit'),
  ]
  try {
    await runPipeline(session.client, steps)
  } catch (error) {
    await session.client.query('rollback').catch(() => {})
    throw error
  }
  return (answer[0] ?? []).map(Number)
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

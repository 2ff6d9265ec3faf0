import { ServiceError } from '../../partner-services/service/errors.ts'
import type { AppRecord, Db } from './records.ts'

export type SqlDraft = { version: string; name: string; sql: string; status: 'draft' | 'published'; created_at: Date }

export async function listSqlDrafts(db: Db, app: AppRecord): Promise<SqlDraft[]> {
  const { rows } = await db.query<SqlDraft>(
    'select version, name, sql, status, created_at from core.sql_drafts where app_id = $1 order by version',
    [app.id],
  )
  return rows
}

/** The SQL was let through by the guard; its version is later than every one that exists. */
export async function saveSqlDraft(
  db: Db,
  app: AppRecord,
  { version, name, sql, now }: { version: string; name: string; sql: string; now: Date },
): Promise<SqlDraft> {
  const draft = { version, name, sql, status: 'draft' as const, created_at: now }
  const { rowCount } = await db.query(
    'insert into core.sql_drafts (app_id, version, name, sql, created_at) values ($1, $2, $3, $4, $5) on conflict do nothing',
    [app.id, version, name, sql, now],
  )
  // Two at once: a version is one text.
  if (rowCount !== 1) throw new ServiceError('invalid_state')
  return draft
}

export async function deleteSqlDraft(db: Db, app: AppRecord, version: string): Promise<void> {
  const { rows } = await db.query<{ status: string }>(
    `delete from core.sql_drafts where app_id = $1 and version = $2 and status = 'draft' returning status`,
    [app.id, version],
  )
  if (rows.length === 1) return
  const { rowCount } = await db.query('select from core.sql_drafts where app_id = $1 and version = $2', [
    app.id,
    version,
  ])
  throw new ServiceError(rowCount === 1 ? 'cannot_edit_published' : 'not_found')
}

/** As files of the module's `migrations/` folder: published ones stay, since what was applied must stay known. */
export function sqlDraftFiles(drafts: readonly Pick<SqlDraft, 'version' | 'name' | 'sql'>[]): Record<string, string> {
  return Object.fromEntries(
    drafts.map(({ version, name, sql }) => [`migrations/${version}_${name}.sql`, Buffer.from(sql).toString('base64')]),
  )
}

import type { Actor } from '../lifecycle/actor.ts'
import { findApp } from '../lifecycle/records.ts'
import { migrationTime, type SqlDraft, saveSqlDraft, sqlDraftFiles } from '../lifecycle/sql-drafts.ts'
import { checkMigrations } from './check-migrations.ts'
import type { PublisherContext } from './publisher-context.ts'
import { isError, refused } from './refused.ts'

export type SqlDraftRequest = { actor: Actor; slug: string; name: string; sql: string }

/** Direct SQL of the portal: what a migration may not do is refused at once, the rest waits for the next release. */
export async function guardSqlDraft(context: PublisherContext, request: SqlDraftRequest): Promise<SqlDraft> {
  const { actor, slug, name, sql } = request
  const app = await findApp(context.system, actor, slug)
  const now = context.clock()
  const files = sqlDraftFiles([{ version: migrationTime(now), name, sql }])
  const { findings } = await context.workshop.withSource(files, (bench) => checkMigrations(context, slug, bench))
  const errors = findings.filter(isError)
  if (errors.length > 0) throw refused('the SQL is refused', errors)
  return saveSqlDraft(context.system, app, { name, sql, now })
}

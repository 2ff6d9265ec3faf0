import { nextVersion } from '../../policy/migrations/next-version.ts'
import type { Actor } from '../lifecycle/actor.ts'
import { type AppRecord, findApp } from '../lifecycle/records.ts'
import { listSqlDrafts, type SqlDraft, saveSqlDraft, sqlDraftFiles } from '../lifecycle/sql-drafts.ts'
import { checkMigrations } from './version/check-migrations.ts'
import { moduleStatus } from './migrations/module-migrations.ts'
import type { PublisherContext } from './publisher-context.ts'
import { isError, refused } from './refused.ts'

export type SqlDraftRequest = { actor: Actor; slug: string; name: string; sql: string }

/**
 * Direct SQL of the portal: what a migration may not do is refused at once, the rest waits for the next release. It is
 * looked at together with the drafts before it, whose tables it may use.
 */
export async function guardSqlDraft(context: PublisherContext, request: SqlDraftRequest): Promise<SqlDraft> {
  const { actor, slug, name, sql } = request
  const app = await findApp(context.system, actor, slug)
  const now = context.clock()
  const drafts = await listSqlDrafts(context.system, app)
  const version = nextVersion([...drafts.map((draft) => draft.version), ...(await knownVersions(context, app))], now)
  const files = sqlDraftFiles([...drafts.filter(({ status }) => status === 'draft'), { version, name, sql }])
  const { findings } = await context.inBuildTurn(actor, () =>
    context.workshop.withSource(files, (bench) => checkMigrations(context, slug, bench)),
  )
  const errors = findings.filter(isError)
  if (errors.length > 0) throw refused('the SQL is refused', errors)
  return saveSqlDraft(context.system, app, { version, name, sql, now })
}

/** Of every migration that is applied, and of those of versions that are not published yet. */
async function knownVersions(context: PublisherContext, app: AppRecord): Promise<string[]> {
  const { live, sandbox } = await moduleStatus(context, app.slug)
  const { rows } = await context.system.query<{ version: string }>(
    `select left(m ->> 'file', 17) as version from core.app_versions v, jsonb_array_elements(v.report -> 'migrations') m
      where v.app_id = $1 and jsonb_typeof(v.report -> 'migrations') = 'array'`,
    [app.id],
  )
  return [...live, ...sandbox, ...rows].map(({ version }) => version)
}

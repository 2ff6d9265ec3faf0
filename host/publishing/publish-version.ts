import { type Actor, actorName } from '../lifecycle/actor.ts'
import { describeApp } from '../lifecycle/describe-app.ts'
import { moveInstallations } from '../lifecycle/move-installations.ts'
import { requireKeptEntries } from '../lifecycle/notification-catalog.ts'
import { recordMove } from '../lifecycle/moves.ts'
import { type AppRecord, type Db, findApp, findVersion, lockApp, type VersionRecord } from '../lifecycle/records.ts'
import { requireMove } from '../lifecycle/states.ts'
import { inTransaction } from '../database/in-transaction.ts'
import { requireRaised } from '../lifecycle/version-order.ts'
import { untilConfirmed } from '../security/token-epoch.ts'
import { importModuleMigrations } from './migrations/module-migrations.ts'
import type { PublisherContext } from './publisher-context.ts'
import { signStored } from './version/sign-stored.ts'
import { readStoredSource } from './source/stored-source.ts'
import type { Workbench } from './source/workshop.ts'

export type PublishRequest = { actor: Actor; slug: string; version: string }
export type Publishing = { slug: string; version: string; state: 'published'; migrations: string[]; moved: number }

/**
 * Approved → published. Migrations come first: they keep the version before working, so a failure or a killed publisher
 * leaves that one in place, and publishing again goes on where it stopped. Then one transaction changes all that a
 * school can see: state, signature, installations. `bench`: the source, where it lies open already.
 */
export async function publishVersion(
  context: PublisherContext,
  request: PublishRequest,
  bench?: Workbench,
): Promise<Publishing> {
  const { actor, slug } = request
  // What cannot be published waits for nothing.
  await findApproved(context, request)
  return context.withAppLock(slug, async () => {
    const { app, version } = await findApproved(context, request)
    // What is applied stays: a version that is refused may leave nothing.
    await requirePublishable(context.system, app, version)
    const migrations = await migrate(context, version, slug, bench)
    const moved = await inTransaction(context.system, (db) => makeCurrent(context, db, app, version, actor))
    // No web process goes on with a grant, or anything else of the app, from before.
    await untilConfirmed(context.system)
    return { slug, version: version.version, state: 'published', migrations, moved }
  })
}

async function findApproved({ system }: PublisherContext, { actor, slug, version: named }: PublishRequest) {
  const app = await findApp(system, actor, slug)
  const version = await findVersion(system, app, named)
  requireMove(actor, 'publish', { partnerId: app.partnerId, state: version.state })
  return { app, version }
}

async function migrate(
  context: PublisherContext,
  version: VersionRecord,
  slug: string,
  bench: Workbench | undefined,
): Promise<string[]> {
  if (version.bundleHash === null) return []
  const kinds = ['sandbox', 'live'] as const
  const run = ({ builder }: Workbench) =>
    importModuleMigrations(context, { slug, builder, release: version.version, kinds })
  return bench ? run(bench) : context.workshop.withSource(await readStoredSource(context.system, version), run)
}

async function requirePublishable(db: Db, app: AppRecord, version: VersionRecord): Promise<void> {
  await requireRaised(db, app, version)
  await requireKeptEntries(db, app, version)
}

/** Now, and by whichever clock after every version of the app, and every school's decision about it: the last one is current. */
const publishedAt = `greatest($2, (select max(published_at) + interval '1 ms' from core.app_versions where app_id = $4),
  (select max(c.at) + interval '1 ms' from core.installations i
    join core.consents c on c.tenant_id = i.tenant_id and c.installation_id = i.id where i.app_id = $4))`

async function makeCurrent(
  context: PublisherContext,
  db: Db,
  app: AppRecord,
  seen: VersionRecord,
  actor: Actor,
): Promise<number> {
  const now = context.clock()
  await lockApp(db, app)
  const version = await findVersion(db, app, seen.version, { lock: true })
  // Another one may have been published, or a school have installed it, since then.
  await requirePublishable(db, app, version)
  await recordMove(db, version, { actor, move: 'publish', now })
  const scan = (version.report.findings ?? []).length > 0 ? 'warnings' : 'clean'
  await signStored(context, db, app, version, { scan, review: 'approved' })
  const review = JSON.stringify({ published_by: actorName(actor) })
  await db.query(`update core.app_versions set published_at = ${publishedAt}, review = $3 where id = $1`, [
    ...[version.id, now, review],
    app.id,
  ])
  await describeApp(db, app, version)
  await db.query(
    `update core.sql_drafts set status = 'published' where app_id = $1 and version || '_' || name || '.sql' = any($2)`,
    [app.id, (version.report.migrations ?? []).map(({ file }) => file)],
  )
  return moveInstallations(db, app, version)
}

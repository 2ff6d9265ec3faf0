import type pg from 'pg'
import { ServiceError } from '../../partner-services/service/errors.ts'
import { type Actor, maySee } from './actor.ts'
import type { ReviewReport } from './report.ts'
import type { VersionState } from './states.ts'

/** A pool, or one connection inside a transaction. */
export type Db = Pick<pg.ClientBase, 'query'>

export type AppRecord = {
  id: string
  slug: string
  integrationType: 'embedded' | 'external' | 'notification' | 'payment'
  displayName: string
  partnerId: string | null
  declarations: Record<string, unknown>
}

export type VersionRecord = {
  id: string
  version: string
  state: VersionState
  manifest: Record<string, unknown>
  declared: Record<string, unknown> | null
  contributions: Record<string, unknown> | null
  bundleHash: string | null
  report: ReviewReport
  publishedAt: Date | null
  createdAt: Date
  editedAt: Date
}

const appColumns = `a.id, a.slug, a.integration_type as "integrationType", a.display_name as "displayName",
  a.partner_id as "partnerId", a.declarations`
const versionColumns = `v.id, v.version, v.state, v.manifest, v.declared, v.contributions, v.bundle_hash as "bundleHash",
  v.report, v.published_at as "publishedAt", v.created_at as "createdAt",
  v.edited_at as "editedAt"`

/** Another partner's app looks exactly like a missing one. */
export async function findApp(db: Db, actor: Actor, slug: string): Promise<AppRecord> {
  const { rows } = await db.query<AppRecord>(`select ${appColumns} from core.apps a where a.slug = $1`, [slug])
  const app = rows[0]
  if (!app || !maySee(actor, app)) throw new ServiceError('not_found')
  return app
}

export async function listApps(db: Db, actor: Actor): Promise<AppRecord[]> {
  const { rows } = await db.query<AppRecord>(
    `select ${appColumns} from core.apps a where $1::text is null or a.partner_id = $1 order by a.slug`,
    [actor.kind === 'partner' ? actor.partnerId : null],
  )
  return rows
}

/** `lock`: nobody else moves or edits the version until the transaction ends. */
export async function findVersion(
  db: Db,
  app: AppRecord,
  version: string,
  options: { lock?: boolean } = {},
): Promise<VersionRecord> {
  const { rows } = await db.query<VersionRecord>(
    `select ${versionColumns} from core.app_versions v where v.app_id = $1 and v.version = $2${options.lock ? ' for update' : ''}`,
    [app.id, version],
  )
  if (!rows[0]) throw new ServiceError('not_found')
  return rows[0]
}

/** Newest first. */
export async function listVersions(db: Db, app: AppRecord): Promise<VersionRecord[]> {
  const { rows } = await db.query<VersionRecord>(
    `select ${versionColumns} from core.app_versions v where v.app_id = $1 order by v.created_at desc, v.id desc`,
    [app.id],
  )
  return rows
}

/** The versions that schools may get, the newest first: the first one is current. */
export async function publishedVersions(db: Db, app: Pick<AppRecord, 'id'>): Promise<VersionRecord[]> {
  const { rows } = await db.query<VersionRecord>(
    `select ${versionColumns} from core.app_versions v
      where v.app_id = $1 and v.state = 'published' order by v.published_at desc, v.id desc`,
    [app.id],
  )
  return rows
}

/** Whether an installation is left that names the app or, where one is given, the version: uninstalled ones do until they are erased. */
export async function hasInstallations(
  db: Db,
  app: Pick<AppRecord, 'id'>,
  version?: Pick<VersionRecord, 'id'>,
): Promise<boolean> {
  const { rowCount } = await db.query(
    'select from core.installations where app_id = $1 and ($2::text is null or version_id = $2) limit 1',
    [app.id, version?.id ?? null],
  )
  return rowCount === 1
}

/** Publishing and rolling back an app wait for each other, to the end of their transactions. */
export async function lockApp(db: Db, app: Pick<AppRecord, 'id'>): Promise<void> {
  await db.query('select from core.apps where id = $1 for update', [app.id])
}

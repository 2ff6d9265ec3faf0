import { ServiceError } from '../../partner-services/service/errors.ts'
import { type AppRecord, type Db, publishedVersions, type VersionRecord } from './records.ts'
import { requireEditable } from './states.ts'

export type CatalogEntry = { key: string; is_active?: boolean } & Record<string, unknown>

/** The catalog of one version, by key. */
export async function readCatalog(db: Db, version: Pick<VersionRecord, 'id'>): Promise<CatalogEntry[]> {
  const { rows } = await db.query<{ entry: CatalogEntry; is_active: boolean }>(
    'select entry, is_active from core.notification_catalog where version_id = $1 order by key',
    [version.id],
  )
  return rows.map(({ entry, is_active }) => ({ ...entry, is_active }))
}

/**
 * A draft's catalog: the published one cloned forward, changed by what its manifest says. A manifest with a list that
 * leaves out a published key deletes that entry, which is refused while schools have the app installed.
 */
export async function writeDraftCatalog(
  db: Db,
  app: AppRecord,
  version: Pick<VersionRecord, 'id'>,
  declared: readonly CatalogEntry[] | undefined,
): Promise<void> {
  const [current] = await publishedVersions(db, app)
  const cloned = current ? await readCatalog(db, current) : []
  const entries = new Map((declared ?? []).map((entry) => [entry.key, entry]))
  const left = cloned.filter(({ key }) => !entries.has(key))
  if (declared === undefined) for (const entry of left) entries.set(entry.key, entry)
  else if (left.length > 0 && (await isInstalled(db, app))) throw new ServiceError('delete_blocked_by_installs')
  await db.query('delete from core.notification_catalog where version_id = $1', [version.id])
  await db.query(
    `insert into core.notification_catalog (app_id, version_id, key, entry, is_active)
      select $1, $2, e ->> 'key', e - 'is_active', coalesce((e ->> 'is_active')::boolean, true) from jsonb_array_elements($3::jsonb) e`,
    [app.id, version.id, JSON.stringify([...entries.values()])],
  )
}

/** Throws where the version leaves out an entry of the current one and a school has the app by now. */
export async function requireKeptEntries(db: Db, app: AppRecord, version: Pick<VersionRecord, 'id'>): Promise<void> {
  const [current] = await publishedVersions(db, app)
  if (!current) return
  const kept = new Set((await readCatalog(db, version)).map(({ key }) => key))
  const leavesOut = (await readCatalog(db, current)).some(({ key }) => !kept.has(key))
  if (leavesOut && (await isInstalled(db, app))) throw new ServiceError('delete_blocked_by_installs')
}

/** Takes an entry out of a draft. One that schools have by now is deactivated instead. */
export async function deleteEntry(db: Db, app: AppRecord, version: VersionRecord, key: string): Promise<void> {
  requireEditable(version.state)
  const published = (await publishedVersions(db, app))[0]
  const known = published ? (await readCatalog(db, published)).some((entry) => entry.key === key) : false
  if (known && (await isInstalled(db, app))) throw new ServiceError('delete_blocked_by_installs')
  const { rowCount } = await db.query('delete from core.notification_catalog where version_id = $1 and key = $2', [
    version.id,
    key,
  ])
  if (rowCount !== 1) throw new ServiceError('not_found')
}

/** Changes an entry of a draft in place; its key never changes. */
export async function setActive(db: Db, version: VersionRecord, key: string, active: boolean): Promise<void> {
  requireEditable(version.state)
  const { rowCount } = await db.query(
    'update core.notification_catalog set is_active = $3 where version_id = $1 and key = $2',
    [version.id, key, active],
  )
  if (rowCount !== 1) throw new ServiceError('not_found')
}

export async function isInstalled(db: Db, app: Pick<AppRecord, 'id'>): Promise<boolean> {
  const { rowCount } = await db.query(
    `select from core.installations where app_id = $1 and status <> 'uninstalled' limit 1`,
    [app.id],
  )
  return rowCount === 1
}

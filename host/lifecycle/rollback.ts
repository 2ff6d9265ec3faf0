import { InvalidInputException, ServiceError } from '../../partner-services/service/errors.ts'
import { goneColumnsIn } from '../publishing/migrations/gone-columns.ts'
import { type Actor, actorName } from './actor.ts'
import { describeApp } from './describe-app.ts'
import { type AppRecord, type Db, lockApp, publishedVersions, type VersionRecord } from './records.ts'

export type RolledBack = { from: VersionRecord; to: VersionRecord }

export type RollBackRequest = {
  actor: Actor
  app: AppRecord
  now: Date
  /** The version that is meant: asked twice, it is taken back once. The current one where none is named. */
  version?: string | undefined
}

/**
 * Puts the version before in the current one's place, with the addresses it declares. Tables stay as they are, since every
 * migration keeps the version before it working. The one taken back is approved as it was and can be published again.
 * Throws `invalid_state` where none was before, or another version than the named one is current; `invalid_data` where
 * tables or columns that the version before uses were dropped once nobody ran it.
 */
export async function rollBack(db: Db, { actor, app, now, version }: RollBackRequest): Promise<RolledBack> {
  await lockApp(db, app)
  const [from, before] = await publishedVersions(db, app)
  if (!from || !before || (version !== undefined && version !== from.version)) throw new ServiceError('invalid_state')
  await requireItsTables(db, app, before)
  await db.query(`update core.app_versions set state = 'approved', published_at = null where id = $1`, [from.id])
  await db.query(
    `insert into core.version_moves (version_id, from_state, to_state, actor, at) values ($1, 'published', 'approved', $2, $3)`,
    [from.id, actorName(actor), now],
  )
  await describeApp(db, app, before)
  return { from, to: before }
}

async function requireItsTables(db: Db, app: AppRecord, { version, bundleHash }: VersionRecord): Promise<void> {
  const { rows } = await db.query<{ code: string }>('select code from core.app_bundles where hash = $1', [bundleHash])
  const gone = rows[0] ? await goneColumnsIn(db, app.id, rows[0].code) : []
  if (gone.length === 0) return
  const reason = `${version} uses what a later release dropped (${gone.join(', ')}): publish a new version instead`
  throw new InvalidInputException({ version: [reason] })
}

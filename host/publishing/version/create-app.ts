import { ulid } from 'ulid'
import type { Actor } from '../../lifecycle/actor.ts'
import { shownName } from '../../lifecycle/describe-app.ts'
import { type AppRecord, type Db, findApp } from '../../lifecycle/records.ts'
import type { Manifest } from '../source/read-manifest.ts'

/** The app of a first version. A partner's is theirs; an operator's belongs to the platform. */
export async function createApp(db: Db, actor: Actor, manifest: Manifest): Promise<AppRecord> {
  await db.query(
    'insert into core.apps (id, slug, integration_type, display_name, partner_id) values ($1, $2, $3, $4, $5)',
    [
      ulid(),
      manifest.moduleId,
      manifest.integrationType,
      shownName(manifest),
      actor.kind === 'partner' ? actor.partnerId : null,
    ],
  )
  return findApp(db, actor, manifest.moduleId)
}

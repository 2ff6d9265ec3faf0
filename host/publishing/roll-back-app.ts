import { inTransaction } from '../database/in-transaction.ts'
import type { Actor } from '../lifecycle/actor.ts'
import { moveInstallationsBack } from '../lifecycle/move-installations.ts'
import { findApp, publishedVersions } from '../lifecycle/records.ts'
import { rollBack } from '../lifecycle/rollback.ts'
import { confirmedLater, untilConfirmed } from '../security/token-epoch.ts'
import { noteColumns } from './migrations/gone-columns.ts'
import type { PublisherContext } from './publisher-context.ts'

export type RollBackAppRequest = { actor: Actor; slug: string; version?: string | undefined }
type RolledBackApp = { version: string; rolled_back: string; moved: number }

/**
 * Takes a version back, and from the schools: the named one, or the one that is current when this is asked for. It waits for
 * what is being published, which may drop what the version before uses, and looks for what one that was killed dropped.
 */
export async function rollBackApp(
  context: Pick<PublisherContext, 'provisioning' | 'system' | 'suffix' | 'clock' | 'withAppLockForRollBack'>,
  { actor, slug, version }: RollBackAppRequest,
): Promise<RolledBackApp> {
  const { system, clock } = context
  const app = await findApp(system, actor, slug)
  const meant = version ?? (await publishedVersions(system, app))[0]?.version
  return context.withAppLockForRollBack(slug, async () => {
    await noteColumns(context, slug)
    const { from, to, moved } = await inTransaction(system, async (db) => {
      const rolled = await rollBack(db, { actor, app, now: clock(), version: meant })
      return { ...rolled, moved: await moveInstallationsBack(db, app, rolled) }
    })
    await untilConfirmed(system).catch(confirmedLater)
    return { version: to.version, rolled_back: from.version, moved }
  })
}

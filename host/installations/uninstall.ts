import { NotFoundException } from '../../partner-services/service/errors.ts'
import { mayRunLong } from '../database/time-limits.ts'
import { inOneOrder } from '../events/results.ts'
import { recordConsent } from './consents.ts'
import type { InstallationContext } from './install.ts'
import { inTransaction } from '../database/in-transaction.ts'

/** How long data is held after uninstalling, in milliseconds, before it is erased. Source: issue "Events", installing. */
export const holdTime = 28 * 86_400_000

/**
 * Ends an installation: tokens, codes and deliveries stop at once, the data is held for 28 days.
 * When it resolves no web process serves any of its tokens, and no delivery begins.
 */
export async function uninstallApp(
  context: InstallationContext,
  request: { tenantId: string; installationId: string; accountId: string | null },
): Promise<{ erasedAfter: Date }> {
  const { tenantId, installationId, accountId } = request
  const now = context.clock()
  const key = [tenantId, installationId]
  await inTransaction(context.system, async (client) => {
    const { rows } = await client.query<{ version_id: string | null }>(
      `update core.installations set status = 'uninstalled', uninstalled_at = $3
        where tenant_id = $1 and id = $2 and status <> 'uninstalled' returning version_id`,
      [...key, now],
    )
    if (!rows[0]) throw new NotFoundException()
    const of = 'where tenant_id = $1 and installation_id = $2'
    await client.query(`update core.installation_tokens set revoked_at = $3 ${of} and revoked_at is null`, [
      ...key,
      now,
    ])
    await client.query(`update core.authorization_codes set used_at = $3 ${of} and used_at is null`, [...key, now])
    await mayRunLong(client)
    await client.query(
      `with held as (select d.tenant_id, d.id from core.deliveries d ${of} and due_at is not null ${inOneOrder})
        update core.deliveries d set state = 'terminal', due_at = null, lease = null, leased_until = null, finished_at = $3
        from held where d.tenant_id = held.tenant_id and d.id = held.id`,
      [...key, now],
    )
    const versionId = rows[0].version_id
    await recordConsent(client, {
      tenantId,
      installationId,
      accountId,
      versionId,
      action: 'uninstalled',
      scopes: [],
      at: now,
    })
  })
  await Promise.all([context.grantsChanged(), context.deliveriesStopped()])
  return { erasedAfter: new Date(now.getTime() + holdTime) }
}

import type pg from 'pg'
import { requestedScopes } from './requested-scopes.ts'

/** What a school decided about an app before: the scopes that the app has now, and all that the school was asked about. */
export type CurrentGrant = { granted: readonly string[]; asked: readonly string[] }

/**
 * Null where the school does not have the app. It was asked about what the version requested that it approved last: one
 * that came since may request more, and was put in place without a question.
 */
export async function currentGrant(
  pool: pg.Pool,
  { tenantId, appId }: { tenantId: string; appId: string },
): Promise<CurrentGrant | null> {
  const { rows } = await pool.query<{ granted_scopes: string[]; manifest: unknown }>(
    `select i.granted_scopes, approved.manifest from core.installations i left join lateral (
        select v.manifest from core.consents c join core.app_versions v on v.id = c.version_id
        where c.tenant_id = i.tenant_id and c.installation_id = i.id and c.action in ('installed', 'approved')
        order by c.at desc, c.id desc limit 1) approved on true
      where i.tenant_id = $1 and i.app_id = $2 and i.status <> 'uninstalled'`,
    [tenantId, appId],
  )
  const row = rows[0]
  if (!row) return null
  const asked = requestedScopes(row.manifest).map(({ key }) => key)
  return { granted: row.granted_scopes, asked: [...row.granted_scopes, ...asked] }
}

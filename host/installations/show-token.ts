import type pg from 'pg'
import { ServiceError } from '../../partner-services/service/errors.ts'
import type { Cipher } from '../../partner-services/service/ports.ts'

/**
 * The token of an installation whose app has no redirect URLs, once. Throws `invalid_state` afterwards, and for apps
 * that get theirs in exchange for a code. Source: decisions.md, tokens.
 */
export async function showTokenOnce(
  pool: pg.Pool,
  cipher: Cipher,
  now: Date,
  { appId, installationId }: { appId: string; installationId: string },
): Promise<string> {
  const { rows } = await pool.query<{ tenant_id: string; token_encrypted: Buffer }>(
    `update core.installation_tokens k set shown_at = $3
      from core.installations i join core.apps a on a.id = i.app_id
      where i.app_id = $1 and i.id = $2 and i.status = 'active' and a.redirect_urls = '{}'
        and k.tenant_id = i.tenant_id and k.installation_id = i.id and k.shown_at is null and k.revoked_at is null
        and k.expires_at is null
      returning k.tenant_id, k.token_encrypted`,
    [appId, installationId, now],
  )
  const row = rows[0]
  if (!row) throw new ServiceError('invalid_state')
  return cipher.decrypt(row.tenant_id, 'installation_token', row.token_encrypted).toString()
}

import type pg from 'pg'

export type ConsentAction = 'installed' | 'approved' | 'narrowed' | 'uninstalled'

/**
 * Keeps who decided what about an installation, which the transaction holds. `accountId` is null for the operator's command line.
 * By whichever clock, it is written after what was decided before, and no earlier than its version was published.
 */
export async function recordConsent(
  client: pg.ClientBase,
  consent: {
    tenantId: string
    installationId: string
    accountId: string | null
    action: ConsentAction
    versionId: string | null
    scopes: readonly string[]
    at: Date
  },
): Promise<void> {
  const { tenantId, installationId, accountId, action, versionId, scopes, at } = consent
  await client.query(
    `insert into core.consents (tenant_id, installation_id, account_id, action, version_id, scopes, at)
      values ($1, $2, $3, $4, $5, $6, greatest($7,
        (select max(at) + interval '1 ms' from core.consents where tenant_id = $1 and installation_id = $2),
        (select published_at from core.app_versions where id = $5)))`,
    [tenantId, installationId, accountId, action, versionId, scopes, at],
  )
}

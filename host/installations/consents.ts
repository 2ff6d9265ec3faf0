import type pg from 'pg'

export type ConsentAction = 'installed' | 'approved' | 'narrowed' | 'uninstalled'

/** Keeps who decided what about an installation. `accountId` is null for the operator's command line. */
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
      values ($1, $2, $3, $4, $5, $6, $7)`,
    [tenantId, installationId, accountId, action, versionId, scopes, at],
  )
}

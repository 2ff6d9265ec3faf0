import type pg from 'pg'
import { InvalidInputException, NotFoundException } from '../../partner-services/service/errors.ts'
import { recordConsent } from './consents.ts'
import type { InstallationContext } from './install.ts'
import { type RequestedScope, requestedScopes } from './requested-scopes.ts'
import { inTransaction } from '../database/in-transaction.ts'

type Row = { granted_scopes: string[]; version_id: string | null }

/**
 * Leaves an installation only `scopes` of what it has. Nothing can be added this way, and what its version requires
 * stays: without it the app is to be uninstalled. When it resolves no web process grants what was taken, and no delivery of it
 * begins.
 */
export async function narrowScopes(
  context: InstallationContext,
  request: { tenantId: string; installationId: string; accountId: string | null; scopes: readonly string[] },
): Promise<string[]> {
  const { tenantId, installationId, accountId } = request
  const kept = await inTransaction(context.system, async (client) => {
    const { rows } = await client.query<Row>(
      `select granted_scopes, version_id from core.installations
        where tenant_id = $1 and id = $2 and status <> 'uninstalled' for update`,
      [tenantId, installationId],
    )
    const found = rows[0]
    if (!found) throw new NotFoundException()
    const wanted = new Set(request.scopes)
    const required = (await scopesOfVersion(client, found.version_id)).filter((scope) => scope.required)
    const wrong = [
      ...[...wanted].filter((key) => !found.granted_scopes.includes(key)).map((key) => `${key} is not granted`),
      ...required.filter(({ key }) => !wanted.has(key)).map(({ key }) => `${key} is required`),
    ]
    if (wrong.length > 0) throw new InvalidInputException({ scopes: wrong })
    const scopes = found.granted_scopes.filter((key) => wanted.has(key))
    await client.query('update core.installations set granted_scopes = $3 where tenant_id = $1 and id = $2', [
      ...[tenantId, installationId],
      scopes,
    ])
    const at = context.clock()
    const versionId = found.version_id
    await recordConsent(client, { tenantId, installationId, accountId, action: 'narrowed', versionId, scopes, at })
    return scopes
  })
  await Promise.all([context.grantsChanged(), context.deliveriesStopped()])
  return kept
}

/** Asked once the installation is held: what a statement reads beside the row it waits for is from before the wait. */
async function scopesOfVersion(client: pg.ClientBase, versionId: string | null): Promise<RequestedScope[]> {
  const { rows } = await client.query<{ manifest: unknown }>('select manifest from core.app_versions where id = $1', [
    versionId,
  ])
  return requestedScopes(rows[0]?.manifest)
}

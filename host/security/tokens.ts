import type pg from 'pg'
import { ulid } from 'ulid'
import type { Caller, IntegrationType } from '../../partner-services/service/caller.ts'
import { NotFoundException } from '../../partner-services/service/errors.ts'
import type { Cipher, TenantDatabase } from '../../partner-services/service/ports.ts'
import { sql } from '../../partner-services/service/sql.ts'
import type { CoreDatabase } from '../database/core-database.ts'
import { type Environment, hashToken, newToken } from './installation-token.ts'
import { untilConfirmed } from './token-epoch.ts'

export type InstallationKey = { tenantId: string; installationId: string }

export type TokenContext = { database: CoreDatabase; systemPool: pg.Pool; cipher: Cipher; clock: () => Date }

/** How long the token before a rotation stays valid, in milliseconds. Source: specification, limits. */
const rotationOverlap = 15 * 60 * 1_000

export const rotationEvent = 'partner.installation.token_rotated'

/** Makes a token within the transaction of `db`. The text is returned once and stored as a hash and under the host key. */
export async function issueToken(
  db: TenantDatabase,
  cipher: Cipher,
  { tenantId, installationId, environment }: InstallationKey & { environment: Environment },
): Promise<string> {
  const token = newToken(environment)
  const sealed = cipher.encrypt(tenantId, 'installation_token', Buffer.from(token))
  await db.rows(sql`insert into core.installation_tokens (tenant_id, id, installation_id, token_hash, token_encrypted, environment)
    values (${tenantId}, ${ulid()}, ${installationId}, ${hashToken(token)}, ${sealed}, ${environment})`)
  return token
}

/**
 * A new token; the old ones stay valid for 15 more minutes. External apps learn of it by the rotation event, whose
 * `data` is `{new_token}`. Throws NotFoundException for an installation that is not active.
 */
export async function rotateToken(context: TokenContext, key: InstallationKey): Promise<string> {
  const { database, systemPool, cipher, clock } = context
  const ends = new Date(clock().getTime() + rotationOverlap)
  const token = await database.forTenant(key.tenantId, async (db, emit) => {
    const installation = await readInstallation(db, key)
    await db.rows(sql`update core.installation_tokens set expires_at = least(expires_at, ${ends})
      where tenant_id = ${key.tenantId} and installation_id = ${key.installationId} and revoked_at is null`)
    const made = await issueToken(db, cipher, { ...key, environment: installation.environment })
    if (installation.integration_type === 'external') {
      const event = { name: rotationEvent, recordId: key.installationId, data: { new_token: made } }
      emit(callerOf(key, installation), event)
    }
    return made
  })
  await untilConfirmed(systemPool)
  return token
}

/** Ends every token of an installation. When it resolves no web process serves any of them. */
export async function revokeTokens(context: TokenContext, key: InstallationKey): Promise<void> {
  const { database, systemPool, clock } = context
  await database.forTenant(key.tenantId, (db) =>
    db.rows(sql`update core.installation_tokens set revoked_at = ${clock()}
      where tenant_id = ${key.tenantId} and installation_id = ${key.installationId} and revoked_at is null`),
  )
  await untilConfirmed(systemPool)
}

type Installation = {
  number: number
  sandbox: boolean
  slug: string
  integration_type: IntegrationType
  granted_scopes: string[]
  rate_limited: boolean
  environment: Environment
}

async function readInstallation(db: TenantDatabase, { tenantId, installationId }: InstallationKey) {
  const found = await db.row<Installation>(sql`
    select t.number, t.sandbox, a.slug, a.integration_type, i.granted_scopes, i.rate_limited,
      case when t.sandbox then 'test' else 'live' end as environment
    from core.installations i join core.tenants t on t.id = i.tenant_id join core.apps a on a.id = i.app_id
    where i.tenant_id = ${tenantId} and i.id = ${installationId} and i.status = 'active' for update of i`)
  if (!found) throw new NotFoundException()
  return found
}

const callerOf = ({ tenantId, installationId }: InstallationKey, found: Installation): Caller => ({
  tenant: { id: tenantId, number: found.number, sandbox: found.sandbox },
  app: { slug: found.slug, integrationType: found.integration_type },
  installation: { id: installationId, rateLimited: found.rate_limited },
  scopes: new Set(found.granted_scopes),
  viewer: null,
  locale: 'en',
})

import type pg from 'pg'
import { z } from 'zod'
import type { Caller, IntegrationType } from '../../partner-services/service/caller.ts'
import { NotFoundException } from '../../partner-services/service/errors.ts'
import { tokenRotated } from '../../partner-services/service/event-names.ts'
import type { Cipher, TenantDatabase } from '../../partner-services/service/ports.ts'
import { sql } from '../../partner-services/service/sql.ts'
import type { CoreDatabase } from '../database/core-database.ts'
import { type Environment, rotationOverlap } from './installation-token.ts'
import { makeToken, type NewToken } from './issue-token.ts'
import { confirmedLater, untilConfirmed } from './token-epoch.ts'

export type InstallationKey = { tenantId: string; installationId: string }

export type TokenContext = { database: CoreDatabase; systemPool: pg.Pool; cipher: Cipher; clock: () => Date }

/** How a rotation is asked for: `revoke` where the old token leaked. Nothing else, so that no mistyped `revoke` is none. */
export const rotation = z.strictObject({ revoke: z.boolean().default(false) })

/** What becomes of an installation's tokens once it has a new one: they overlap with it, or end at once since one leaked. */
export type OldTokens = 'overlap' | 'revoked'

export type Rotation = Pick<NewToken, 'isShown'> & { oldTokens?: OldTokens }

/**
 * A new token; the old ones stay valid for 15 more minutes, or, revoked, not a moment: when it resolves no web process
 * serves any of them. External apps learn of it by the rotation event, whose `data` is `{new_token}`. Throws
 * NotFoundException for an installation that is not there or uninstalled. A stopped one may have a token that leaked.
 */
export async function rotateToken(
  context: TokenContext,
  key: InstallationKey,
  { oldTokens = 'overlap', isShown = false }: Rotation = {},
): Promise<string> {
  const { database, systemPool, cipher, clock } = context
  const ends = new Date(clock().getTime() + rotationOverlap)
  const end = oldTokens === 'revoked' ? sql`revoked_at = ${clock()}` : sql`expires_at = least(expires_at, ${ends})`
  const token = await database.forTenant(key.tenantId, async (db, emit) => {
    const installation = await readInstallation(db, key)
    await db.rows(sql`update core.installation_tokens set ${end}
      where tenant_id = ${key.tenantId} and installation_id = ${key.installationId} and revoked_at is null`)
    const made = makeToken({ ...key, environment: installation.environment, cipher, now: clock(), isShown })
    await db.rows(made.statement)
    if (installation.integration_type === 'external') {
      const event = { name: tokenRotated, recordId: key.installationId, data: { new_token: made.token } }
      emit(callerOf(key, installation), event)
    }
    return made.token
  })
  await untilConfirmed(systemPool).catch(confirmedLater)
  return token
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
    where i.tenant_id = ${tenantId} and i.id = ${installationId} and i.status <> 'uninstalled' for update of i`)
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

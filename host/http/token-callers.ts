import type pg from 'pg'
import type { Caller, IntegrationType } from '../../partner-services/service/caller.ts'
import { ServiceError } from '../../partner-services/service/errors.ts'
import { type Environment, hashToken, parseToken } from '../security/installation-token.ts'
import { createRemembered, type Epoch } from '../security/remembered.ts'
import { bearerToken } from './bearer-token.ts'

export type KnownCaller = Omit<Caller, 'locale' | 'viewer' | 'meter'> & { environment: Environment; expiresAt: number }

/** Turns an `Authorization` header into the installation it stands for. Throws `unauthenticated`. */
export type TokenCallers = {
  identify(authorization: string | undefined): Promise<KnownCaller>
  /** The same where it is remembered, without waiting; else undefined. */
  recall(authorization: string | undefined): KnownCaller | undefined
}

type InstallationRow = {
  tenant_id: string
  tenant_number: number
  sandbox: boolean
  installation_id: string
  granted_scopes: string[]
  rate_limited: boolean
  slug: string
  integration_type: IntegrationType
  environment: Environment
  expires_at: Date | null
}

const lookUp = `select k.tenant_id, t.number as tenant_number, t.sandbox, k.installation_id, i.granted_scopes, i.rate_limited,
    a.slug, a.integration_type, k.environment, k.expires_at
  from core.installation_tokens k
  join core.installations i on i.tenant_id = k.tenant_id and i.id = k.installation_id and i.status = 'active'
  join core.tenants t on t.id = k.tenant_id
  join core.apps a on a.id = i.app_id and a.disabled_reason is null
  where k.token_hash = $1 and k.revoked_at is null and (k.expires_at is null or k.expires_at > $2)`

/** A caller is remembered for so long, in milliseconds; a change of the token or its grants ends that everywhere before. */
const rememberedCallers = { lifetime: 600_000, entries: 20_000 }

export function createTokenCallers(systemPool: pg.Pool, clock: () => Date, epoch: Epoch): TokenCallers {
  const known = createRemembered<KnownCaller>(epoch, {
    ...rememberedCallers,
    tenantOf: ({ tenant }) => tenant.id,
    clock,
  })

  async function find(token: string): Promise<KnownCaller | null> {
    const { rows } = await systemPool.query<InstallationRow>({
      name: 'token',
      text: lookUp,
      values: [hashToken(token), clock()],
    })
    const row = rows[0]
    if (!row) return null
    return {
      tenant: { id: row.tenant_id, number: row.tenant_number, sandbox: row.sandbox },
      app: { slug: row.slug, integrationType: row.integration_type },
      installation: { id: row.installation_id, rateLimited: row.rate_limited },
      scopes: new Set(row.granted_scopes),
      environment: row.environment,
      expiresAt: row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY,
    }
  }

  const isValid = ({ expiresAt }: KnownCaller): boolean => expiresAt > clock().getTime()

  return {
    recall(authorization) {
      const caller = known.peek(bearerToken(authorization))
      return caller && isValid(caller) ? caller : undefined
    },
    async identify(authorization) {
      const token = bearerToken(authorization)
      if (!parseToken(token)) throw new ServiceError('unauthenticated')
      const caller = await known.recall(token, () => find(token))
      if (!caller || !isValid(caller)) throw new ServiceError('unauthenticated')
      return caller
    },
  }
}

import type pg from 'pg'
import type { Caller, IntegrationType } from '../../partner-services/service/caller.ts'
import { ServiceError } from '../../partner-services/service/errors.ts'
import { type Environment, hashToken, parseToken } from '../security/installation-token.ts'
import type { TokenEpoch } from '../security/token-epoch.ts'

export type KnownCaller = Omit<Caller, 'locale' | 'viewer' | 'meter'> & { environment: Environment; expiresAt: number }

/** Turns an `Authorization` header into the installation it stands for. Throws `unauthenticated`. */
export type TokenCallers = {
  identify(authorization: string | undefined): Promise<KnownCaller>
  /** The same where it is remembered, without waiting; else undefined. */
  recall(authorization: string | undefined): KnownCaller | undefined
  /** Forgets whose tokens these are: the next request of each asks the database. */
  forget(): void
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

/** How long an answer may be used again without asking the database, in milliseconds: only a bound of memory's age. */
const cacheTime = 60_000
const cacheSize = 20_000

/** `epoch` decides whether the memory may be used at all; whoever follows it must call `forget` at each change. */
export function createTokenCallers(
  systemPool: pg.Pool,
  clock: () => Date,
  epoch: Pick<TokenEpoch, 'current'>,
): TokenCallers {
  const known = new Map<string, { caller: KnownCaller; until: number }>()

  async function find(token: string, now: number): Promise<KnownCaller> {
    const asked = epoch.current()
    const { rows } = await systemPool.query<InstallationRow>({
      name: 'token',
      text: lookUp,
      values: [hashToken(token), new Date(now)],
    })
    const row = rows[0]
    if (!row) throw new ServiceError('unauthenticated')
    const caller: KnownCaller = {
      tenant: { id: row.tenant_id, number: row.tenant_number, sandbox: row.sandbox },
      app: { slug: row.slug, integrationType: row.integration_type },
      installation: { id: row.installation_id, rateLimited: row.rate_limited },
      scopes: new Set(row.granted_scopes),
      environment: row.environment,
      expiresAt: row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY,
    }
    // An answer that was under way while the epoch changed may be older than the change.
    if (asked !== null && asked === epoch.current()) {
      if (known.size >= cacheSize) known.clear()
      known.set(token, { caller, until: Math.min(now + cacheTime, caller.expiresAt) })
    }
    return caller
  }

  const recall = (token: string, now: number): KnownCaller | undefined => {
    const hit = known.get(token)
    return hit && hit.until > now && epoch.current() !== null ? hit.caller : undefined
  }

  return {
    recall: (authorization) => recall(tokenOf(authorization), clock().getTime()),
    async identify(authorization) {
      const token = tokenOf(authorization)
      const now = clock().getTime()
      const remembered = recall(token, now)
      if (remembered) return remembered
      if (!parseToken(token)) throw new ServiceError('unauthenticated')
      known.delete(token)
      return find(token, now)
    },
    forget: () => known.clear(),
  }
}

const tokenOf = (authorization: string | undefined): string =>
  authorization?.startsWith('Bearer ') ? authorization.slice(7) : ''

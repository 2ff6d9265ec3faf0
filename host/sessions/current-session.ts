import type { FastifyRequest } from 'fastify'
import type pg from 'pg'
import type { Viewer } from '../../partner-services/service/caller.ts'
import { createRemembered, type Epoch } from '../security/remembered.ts'
import type { Cookies } from './cookies.ts'
import { bareHost, type Session, type SessionStore } from './session-store.ts'

export type CurrentSession = {
  /** Who is signed in here, in one round trip. Another school's host name means: nobody. */
  of(request: FastifyRequest): Promise<Session | null>
}

/** A session is remembered for so long, in milliseconds; a sign-out or a change of roles ends that everywhere before. */
const rememberedSessions = { lifetime: 600_000, entries: 20_000 }
const longestHost = 253

export function createCurrentSession(options: {
  store: SessionStore
  cookies: Cookies
  epoch: Epoch
  clock: () => Date
}): CurrentSession {
  const { store, cookies, epoch, clock } = options
  // One host name a cookie: who makes names up pushes nobody else's session out.
  const sessions = createRemembered<{ session: Session; host: string }>(epoch, {
    ...rememberedSessions,
    tenantOf: ({ session }) => session.tenant.id,
    clock,
  })
  return {
    async of(request) {
      const cookie = cookies.read(request, 'partner_session')
      const host = request.hostname
      if (cookie === undefined || host.length > longestHost) return null
      const find = async () => {
        const session = await store.find(cookie, host)
        return session && { session, host }
      }
      const found = await sessions.recall(cookie, find, (kept) => kept.host === host)
      return found && found.session.expiresAt > clock() ? found.session : null
    },
  }
}

/** The person behind a session as modules see them; null for a supervisor. */
export function viewerOf({ tenant, account }: Session): Viewer | null {
  if (account.personType === 'supervisor' || account.personId === null) return null
  return {
    type: account.personType,
    id: account.personId,
    displayName: account.displayName,
    roles: account.roles,
    entityId: tenant.id,
  }
}

/** The school that registered this host name, if any did: for public pages, where nobody needs to be signed in. */
export async function tenantOfHost(system: pg.Pool, host: string): Promise<string | null> {
  const { rows } = await system.query<{ tenant_id: string }>({
    name: 'tenant of host',
    text: 'select tenant_id from core.tenant_hosts where host = $1',
    values: [bareHost(host)],
  })
  return rows[0]?.tenant_id ?? null
}

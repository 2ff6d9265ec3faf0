import type { FastifyRequest } from 'fastify'
import type pg from 'pg'
import type { Viewer } from '../../partner-services/service/caller.ts'
import type { Cookies } from './cookies.ts'
import { bareHost, type Session, type SessionStore } from './session-store.ts'

export type CurrentSession = {
  /** Who is signed in here, in one round trip. Another school's host name means: nobody. */
  of(request: FastifyRequest): Promise<Session | null>
}

export function createCurrentSession(store: SessionStore, cookies: Cookies): CurrentSession {
  return {
    async of(request) {
      const cookie = cookies.read(request, 'partner_session')
      return cookie === undefined ? null : store.find(cookie, request.hostname)
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

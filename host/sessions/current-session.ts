import type { FastifyRequest } from 'fastify'
import type pg from 'pg'
import type { Viewer } from '../../partner-services/service/caller.ts'
import { sql } from '../../partner-services/service/sql.ts'
import type { CoreDatabase } from '../database/core-database.ts'
import { createRemembered } from '../security/remembered.ts'
import type { TokenEpoch } from '../security/token-epoch.ts'
import { readSessionCookie } from './cookies.ts'
import type { Session, SessionStore } from './session-store.ts'

export type CurrentSession = {
  /** Who is signed in here. Another school's host name means: nobody. */
  of(request: FastifyRequest): Promise<Session | null>
  /** The person behind a session as modules see them; null for a supervisor. */
  viewer(session: Session): Promise<Viewer | null>
}

const rememberedFor = 60_000
const longestHost = 253
const rememberedSessions = 20_000

export function createCurrentSession(options: {
  store: SessionStore
  system: pg.Pool
  database: CoreDatabase
  epoch: Pick<TokenEpoch, 'current'>
  clock: () => Date
}): CurrentSession {
  const { store, system, database, epoch, clock } = options
  const memory = { lifetime: rememberedFor, entries: rememberedSessions, clock }
  const sessions = createRemembered<Session>(epoch, memory)
  const viewers = createRemembered<Viewer>(epoch, memory)

  async function find(cookie: string, host: string): Promise<Session | null> {
    const session = await store.find(cookie)
    if (!session) return null
    const owner = await tenantOfHost(system, host)
    return owner === null || owner === session.tenant.id ? session : null
  }
  async function viewerOf({ tenant, account }: Session): Promise<Viewer | null> {
    if (account.personType === 'supervisor' || account.personId === null) return null
    const roles = account.personType === 'employee' ? await rolesOf(database, tenant.id, account.personId) : []
    return {
      type: account.personType,
      id: account.personId,
      displayName: account.displayName,
      roles,
      entityId: tenant.id,
    }
  }

  return {
    async of(request) {
      const cookie = readSessionCookie(request)
      const host = request.hostname
      if (!cookie || host.length > longestHost) return null
      const session = await sessions.recall(`${host} ${cookie}`, () => find(cookie, host))
      return session && session.expiresAt > clock() ? session : null
    },
    viewer: (session) => viewers.recall(`${session.tenant.id} ${session.account.id}`, () => viewerOf(session)),
  }
}

/** The school that registered this host name, if any did. */
export async function tenantOfHost(system: pg.Pool, host: string): Promise<string | null> {
  const { rows } = await system.query<{ tenant_id: string }>({
    name: 'tenant of host',
    text: 'select tenant_id from core.tenant_hosts where host = $1',
    values: [host.toLowerCase()],
  })
  return rows[0]?.tenant_id ?? null
}

async function rolesOf(database: CoreDatabase, tenantId: string, employeeId: string): Promise<string[]> {
  const employee = await database.forTenant(tenantId, (db) =>
    db.row<{ roles: string[] }>(
      sql`select roles from core.employees where tenant_id = ${tenantId} and id = ${employeeId}`,
    ),
  )
  return employee?.roles ?? []
}

import type { FastifyRequest } from 'fastify'
import type pg from 'pg'
import type { Viewer } from '../../partner-services/service/caller.ts'
import { sql } from '../../partner-services/service/sql.ts'
import type { CoreDatabase } from '../database/core-database.ts'
import { readSessionCookie } from './cookies.ts'
import type { Session, SessionStore } from './session-store.ts'

export type CurrentSession = {
  /** Who is signed in here. Another school's host name means: nobody. */
  of(request: FastifyRequest): Promise<Session | null>
  /** The person behind a session as modules see them; null for a supervisor. */
  viewer(session: Session): Promise<Viewer | null>
}

export function createCurrentSession(options: {
  store: SessionStore
  system: pg.Pool
  database: CoreDatabase
}): CurrentSession {
  const { store, system, database } = options
  return {
    async of(request) {
      const cookie = readSessionCookie(request)
      const session = cookie ? await store.find(cookie) : null
      if (!session) return null
      const owner = await tenantOfHost(system, request.hostname)
      return owner === null || owner === session.tenant.id ? session : null
    },
    async viewer({ tenant, account }) {
      if (account.personType === 'supervisor' || account.personId === null) return null
      const roles = account.personType === 'employee' ? await rolesOf(database, tenant.id, account.personId) : []
      return {
        type: account.personType,
        id: account.personId,
        displayName: account.displayName,
        roles,
        entityId: tenant.id,
      }
    },
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

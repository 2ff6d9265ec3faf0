import { createHash, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { untilConfirmed } from '../security/token-epoch.ts'

/** Somebody who signed in. What the host knows, never what a browser says. */
export type Session = {
  csrfSecret: Buffer
  expiresAt: Date
  tenant: { id: string; number: number; name: string; sandbox: boolean }
  account: {
    id: string
    displayName: string
    personType: 'employee' | 'student' | 'guardian' | 'supervisor'
    personId: string | null
    administrator: boolean
    /** Role keys of an employee inside the school; nobody else has any. */
    roles: string[]
  }
}

export type SessionStore = {
  /** A new session; the answer is the cookie's value, of which only the hash is kept. */
  open(account: { tenantId: string; accountId: string }): Promise<string>
  /** Null too where the host name is another school's: there, one is signed out. */
  find(cookie: string, host: string): Promise<Session | null>
  /** Ends the session of a cookie. When it resolves no web process takes it any more. */
  close(cookie: string): Promise<void>
}

/** Sessions end so long after they began, in milliseconds, used or not. */
const lifetime = 12 * 3_600_000
/** A host name as schools register theirs: lower case, without the dot that may end it. */
export const bareHost = (host: string): string => host.toLowerCase().replace(/\.$/, '')

const hashOf = (cookie: string): Buffer => createHash('sha256').update(cookie).digest()

type Row = {
  csrf_secret: Buffer
  expires_at: Date
  tenant_id: string
  number: number
  name: string
  sandbox: boolean
  account_id: string
  display_name: string
  person_type: Session['account']['personType']
  person_id: string | null
  administrator: boolean
  roles: string[] | null
}

const select = `select s.csrf_secret, s.expires_at, s.tenant_id, t.number, t.name, t.sandbox, s.account_id, a.display_name, a.person_type,
    a.person_id, a.administrator, case when a.person_type = 'employee' then core.roles_of(a.tenant_id, a.person_id) end as roles
  from core.sessions s join core.accounts a on a.tenant_id = s.tenant_id and a.id = s.account_id join core.tenants t on t.id = s.tenant_id
  where s.token_hash = $1 and s.expires_at > $2
    and not exists (select from core.tenant_hosts h where h.host = $3 and h.tenant_id <> s.tenant_id)`

/** Opaque sessions in the database: 32 random bytes, found by their hash, gone at once when they are closed. */
export function createSessionStore(system: pg.Pool, clock: () => Date): SessionStore {
  return {
    async open({ tenantId, accountId }) {
      const cookie = randomBytes(32).toString('base64url')
      const now = clock()
      await system.query(
        'insert into core.sessions (token_hash, tenant_id, account_id, csrf_secret, created_at, expires_at) values ($1, $2, $3, $4, $5, $6)',
        [hashOf(cookie), tenantId, accountId, randomBytes(32), now, new Date(now.getTime() + lifetime)],
      )
      return cookie
    },
    async find(cookie, host) {
      if (!/^[\w-]{43}$/.test(cookie)) return null
      const values = [hashOf(cookie), clock(), bareHost(host)]
      const { rows } = await system.query<Row>({ name: 'session', text: select, values })
      const row = rows[0]
      if (!row) return null
      return {
        csrfSecret: row.csrf_secret,
        expiresAt: row.expires_at,
        tenant: { id: row.tenant_id, number: row.number, name: row.name, sandbox: row.sandbox },
        account: {
          id: row.account_id,
          displayName: row.display_name,
          personType: row.person_type,
          personId: row.person_id,
          administrator: row.administrator,
          roles: row.roles ?? [],
        },
      }
    },
    async close(cookie) {
      await system.query('delete from core.sessions where token_hash = $1', [hashOf(cookie)])
      await untilConfirmed(system)
    },
  }
}

import { domainToASCII } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { InvalidInputException } from '../../partner-services/service/errors.ts'
import { ulid } from '../../partner-services/service/schemas.ts'
import { untilConfirmed } from '../security/token-epoch.ts'
import { bareHost } from '../sessions/session-store.ts'
import type { WebContext } from '../web/context.ts'
import { parseRequest } from '../http/parse-request.ts'

export type RegisteredHost = { host: string; tenant_id: string }

const dnsName = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/

/** As browsers send it: lower case, Arabic and other names in Punycode. No address, no port, no single label. */
const hostName = z
  .string()
  .trim()
  .max(253)
  .transform((text) => (/[/?#\\]/.test(text) ? '' : bareHost(domainToASCII(text))))
  .refine((host) => dnsName.test(host), { error: 'a host name such as school.example, without scheme, port and path' })

const listing = z.strictObject({ tenant: ulid.optional() })
const registration = z.strictObject({ host: hostName, tenant: ulid })
const removal = z.strictObject({ host: hostName })

/**
 * The host names that schools have of their own: they choose the school of public pages, and nobody of another school is
 * signed in there. When a change is answered, every web process goes by it.
 */
export function registerHosts(server: FastifyInstance, { system, settings }: WebContext): void {
  const platformHost = settings.PUBLIC_URL && bareHost(new URL(settings.PUBLIC_URL).hostname)

  server.get('/hosts', async (request) => {
    const { tenant } = parseRequest(listing, request.query)
    const { rows } = await system.query<RegisteredHost>(
      'select host, tenant_id from core.tenant_hosts where $1::text is null or tenant_id = $1 order by host',
      [tenant ?? null],
    )
    return { hosts: rows }
  })

  server.post('/hosts', async (request) => {
    const { host, tenant } = parseRequest(registration, request.body)
    if (host === platformHost) throw refused('host', "is the platform's own, where every school signs in")
    const school = await system.query('select from core.tenants where id = $1', [tenant])
    if (school.rowCount === 0) throw refused('tenant', 'there is no such school')
    await system.query('insert into core.tenant_hosts (host, tenant_id) values ($1, $2) on conflict do nothing', [
      host,
      tenant,
    ])
    const { rows } = await system.query<RegisteredHost>(
      'select host, tenant_id from core.tenant_hosts where host = $1',
      [host],
    )
    if (rows[0]?.tenant_id !== tenant) throw refused('host', 'belongs to another school: remove it there first')
    await untilConfirmed(system)
    return rows[0]
  })

  server.post('/hosts/remove', async (request) => {
    const { host } = parseRequest(removal, request.body)
    const { rowCount } = await system.query('delete from core.tenant_hosts where host = $1', [host])
    await untilConfirmed(system)
    return { host, removed: rowCount === 1 }
  })
}

const refused = (field: 'host' | 'tenant', why: string) => new InvalidInputException({ [field]: [why] })

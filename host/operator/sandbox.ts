import type { FastifyInstance } from 'fastify'
import { createCipher } from '../security/cipher.ts'
import { sandboxPassword } from '../seeds/seed.ts'
import type { WebContext } from '../web/context.ts'

type Tenant = { id: string; number: number; name: string }
type User = { username: string; display_name: string; person_type: string; person_id: string | null }
type Installed = { app: string; type: string; scopes: string[] }

type Row = Tenant & { users: User[]; installations: (Installed & { token_encrypted: string | null })[] }

/** `token` is null where no token of an installation is valid. */
export type Sandbox = {
  tenants: (Tenant & {
    users: (User & { password: string })[]
    installations: (Installed & { token: string | null })[]
  })[]
  base_url: string
  sandbox_base_url: string
}

const query = `select t.id, t.number, t.name,
    (select coalesce(json_agg(json_build_object('username', a.username, 'display_name', a.display_name,
        'person_type', a.person_type, 'person_id', a.person_id) order by a.id), '[]')
      from core.accounts a where a.tenant_id = t.id) as users,
    (select coalesce(json_agg(json_build_object('app', p.slug, 'type', p.integration_type, 'scopes', i.granted_scopes,
        'token_encrypted', (select encode(k.token_encrypted, 'base64') from core.installation_tokens k
          where k.tenant_id = i.tenant_id and k.installation_id = i.id and k.revoked_at is null
            and (k.expires_at is null or k.expires_at > $1) order by k.created_at desc limit 1)) order by p.slug), '[]')
      from core.installations i join core.apps p on p.id = i.app_id where i.tenant_id = t.id and i.status = 'active') as installations
  from core.tenants t where t.sandbox order by t.sandbox_of is not null, t.number`

/** The sandbox tenants with their sign-ins and the current token of each installed app. Nothing is rotated. */
export function registerSandbox(server: FastifyInstance, context: WebContext): void {
  const { system, keys, settings, ports } = context
  const cipher = createCipher(keys.data)
  server.get('/sandbox', async (request): Promise<Sandbox> => {
    const { rows } = await system.query<Row>(query, [ports.clock()])
    const url = settings.PUBLIC_URL ?? `${request.protocol}://${request.host}`
    return {
      tenants: rows.map((tenant) => ({
        ...tenant,
        users: tenant.users.map((user) => ({ ...user, password: sandboxPassword(keys.forms, user.username) })),
        installations: tenant.installations.map(({ token_encrypted, ...installation }) => ({
          ...installation,
          token:
            token_encrypted &&
            cipher.decrypt(tenant.id, 'installation_token', Buffer.from(token_encrypted, 'base64')).toString(),
        })),
      })),
      base_url: url + settings.BASE_PATH,
      sandbox_base_url: url + settings.SANDBOX_BASE_PATH,
    }
  })
}

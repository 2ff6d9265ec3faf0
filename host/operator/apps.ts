import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { ServiceError } from '../../partner-services/service/errors.ts'
import { ulid } from '../../partner-services/service/schemas.ts'
import { installationContext } from '../installations/doors.ts'
import { installApp } from '../installations/install.ts'
import { requestedScopes } from '../installations/requested-scopes.ts'
import { uninstallApp } from '../installations/uninstall.ts'
import type { WebContext } from '../web/context.ts'
import { rotateToken, rotation } from '../security/tokens.ts'
import { parseRequest } from '../http/parse-request.ts'

const installation = z.object({ slug: z.string(), tenant: ulid, scopes: z.array(z.string()).optional() })
const tokenRotation = rotation.extend({ slug: z.string(), tenant: ulid })

/** Installing, uninstalling, what an app asks for, and rotating its token. */
export function registerApps(server: FastifyInstance, context: WebContext): void {
  const { system } = context
  const installedAs = async (tenantId: string, slug: string): Promise<string> => {
    const { rows } = await system.query<{ id: string }>(
      `select i.id from core.installations i join core.apps a on a.id = i.app_id
        where i.tenant_id = $1 and a.slug = $2 and i.status <> 'uninstalled'`,
      [tenantId, slug],
    )
    if (!rows[0]) throw new ServiceError('not_found')
    return rows[0].id
  }
  server.get('/apps/:slug', async (request) => {
    const { rows } = await system.query<{ manifest: unknown }>(
      `select a.slug, a.display_name, a.integration_type, v.version, v.manifest
        from core.apps a join core.app_versions v on v.app_id = a.id and v.state = 'published'
        where a.slug = $1 order by v.published_at desc limit 1`,
      [(request.params as { slug: string }).slug],
    )
    if (!rows[0]) return { app: null }
    const { manifest, ...app } = rows[0]
    return { app: { ...app, scopes: requestedScopes(manifest) } }
  })
  server.post('/install', async (request) => {
    const { slug, tenant, scopes } = parseRequest(installation, request.body)
    return installApp(installationContext(context), slug, {
      tenantId: tenant,
      accountId: null,
      ...(scopes ? { scopes } : {}),
    })
  })
  server.post('/uninstall', async (request) => {
    const { slug, tenant } = parseRequest(installation, request.body)
    const installationId = await installedAs(tenant, slug)
    const { erasedAfter } = await uninstallApp(installationContext(context), {
      tenantId: tenant,
      installationId,
      accountId: null,
    })
    return { erased_after: erasedAfter }
  })
  server.post('/tokens/rotate', async (request) => {
    const { slug, tenant, revoke } = parseRequest(tokenRotation, request.body)
    const installationId = await installedAs(tenant, slug)
    const tokens = {
      database: context.database,
      systemPool: system,
      cipher: context.ports.cipher,
      clock: context.ports.clock,
    }
    const token = await rotateToken(
      tokens,
      { tenantId: tenant, installationId },
      { oldTokens: revoke ? 'revoked' : 'overlap' },
    )
    context.wakeDeliveries()
    return { token }
  })
}

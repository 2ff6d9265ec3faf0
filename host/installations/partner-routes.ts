import type { FastifyInstance, FastifyRequest } from 'fastify'
import { NotFoundException } from '../../partner-services/service/errors.ts'
import { recordId } from '../../partner-services/service/schemas.ts'
import { parseRequest } from '../http/parse-request.ts'
import { rotation } from '../security/tokens.ts'
import { appPath, ownApp, type PartnerPortalContext, type Slug, type SlugAndId } from '../events/portal-context.ts'
import { issueAppCredentials } from './app-credentials.ts'
import { showTokenOnce } from './show-token.ts'

/** An app's credentials, and its installations with their tokens, as its partner has them. */
export function registerPartnerInstallations(server: FastifyInstance, context: PartnerPortalContext): void {
  const { system, cipher, clock, wake } = context
  const base = appPath(context)

  server.post<Slug>(`${base}/credentials`, async (request, reply) => {
    const { id } = await ownApp(context, request)
    reply.status(201)
    return { credentials: await issueAppCredentials(system, cipher, id) }
  })

  server.get<Slug>(`${base}/installations`, async (request) => {
    const { rows } = await system.query(
      `select i.id, t.number as tenant_id, i.status, i.granted_scopes, i.installed_at from core.installations i
        join core.tenants t on t.id = i.tenant_id where i.app_id = $1 and i.status <> 'uninstalled' order by i.id`,
      [(await ownApp(context, request)).id],
    )
    return { data: rows }
  })

  server.post<SlugAndId>(`${base}/installations/:id/token/show`, async (request) => ({
    token: await showTokenOnce(system, cipher, clock(), await ownInstallation(context, request)),
  }))

  server.post<SlugAndId>(`${base}/installations/:id/token/rotate`, async (request) => {
    const { revoke } = parseRequest(rotation, request.body)
    const token = await context.rotateToken(await ownInstallation(context, request), revoke ? 'revoked' : 'overlap')
    wake()
    return { token }
  })
}

/** The installation of a request, of an app of the partner's own. */
async function ownInstallation(context: PartnerPortalContext, request: FastifyRequest<SlugAndId>) {
  const { id: appId } = await ownApp(context, request)
  const { rows } = await context.system.query<{ installationId: string; tenantId: string }>(
    `select id as "installationId", tenant_id as "tenantId" from core.installations
      where app_id = $1 and id = $2 and status <> 'uninstalled'`,
    [appId, recordId.parse(request.params.id)],
  )
  if (!rows[0]) throw new NotFoundException()
  return { appId, ...rows[0] }
}

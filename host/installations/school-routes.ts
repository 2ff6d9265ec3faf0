import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { InvalidInputException, ServiceError } from '../../partner-services/service/errors.ts'
import { recordId } from '../../partner-services/service/schemas.ts'
import { formToken, isFormToken } from '../sessions/form-token.ts'
import { installApp } from './install.ts'
import { narrowScopes } from './narrow.ts'
import type { OAuthContext } from './oauth-routes.ts'
import { publishedApp } from './published-version.ts'
import { uninstallApp } from './uninstall.ts'
import { listInstallations } from './list-installations.ts'

const formPurpose = '/partners/api/school'
const tokenHeader = 'x-form-token'

const scopesBody = z.object({ scopes: z.array(z.string()).max(200) })

/**
 * What a school's administrator does with apps, as JSON below `<partnersPath>/api/school`. Every change carries the
 * `form_token` of the list in the header `X-Form-Token`: a session alone is not enough.
 */
export function registerSchoolInstallations(
  server: FastifyInstance,
  context: OAuthContext,
  partnersPath: string,
): void {
  const base = `${partnersPath}/api/school`
  const administrator = async (request: Parameters<OAuthContext['requireAdministrator']>[0]) => {
    const found = await context.requireAdministrator(request)
    if (request.method !== 'GET' && !isFormToken(request.headers[tokenHeader], found.csrfSecret, formPurpose))
      throw new ServiceError('session_expired')
    return found
  }

  server.get(`${base}/installations`, async (request) => {
    const { tenantId, csrfSecret } = await administrator(request)
    return { data: await listInstallations(context.system, tenantId), form_token: formToken(csrfSecret, formPurpose) }
  })

  server.get<{ Params: { slug: string } }>(`${base}/apps/:slug`, async (request) => {
    await administrator(request)
    const { slug, displayName, version, integrationType, scopes } = await publishedApp(context.system, request.params)
    return { app: { slug, display_name: displayName, version, integration_type: integrationType, scopes } }
  })

  // The token is not shown to the school: the partner takes it, once, in the portal.
  server.post<{ Params: { slug: string } }>(`${base}/apps/:slug/install`, async (request, reply) => {
    const { tenantId, accountId } = await administrator(request)
    const { scopes } = bodyOf(scopesBody, request.body)
    const app = await publishedApp(context.system, request.params)
    if (app.redirectUrls.length > 0) throw new ServiceError('invalid_state')
    const installed = await installApp(context, app.slug, { tenantId, accountId, scopes })
    reply.status(installed.isNew ? 201 : 200)
    return { installation: { id: installed.installationId, app: app.slug, scopes: installed.scopes } }
  })

  server.patch<{ Params: { id: string } }>(`${base}/installations/:id`, async (request) => {
    const { tenantId, accountId } = await administrator(request)
    const { scopes } = bodyOf(scopesBody, request.body)
    const installationId = recordId.parse(request.params.id)
    const kept = await narrowScopes(context, { tenantId, accountId, installationId, scopes })
    return { installation: { id: installationId, scopes: kept } }
  })

  server.delete<{ Params: { id: string } }>(`${base}/installations/:id`, async (request) => {
    const { tenantId, accountId } = await administrator(request)
    const installationId = recordId.parse(request.params.id)
    const { erasedAfter } = await uninstallApp(context, { tenantId, accountId, installationId })
    return { installation: { id: installationId, status: 'uninstalled', erased_after: erasedAfter } }
  })

  server.get(`${base}/erasure-certificates`, async (request) => {
    const { tenantId } = await administrator(request)
    const { rows } = await context.system.query<{ certificate: string; signature: Buffer }>(
      'select certificate, signature from core.erasure_certificates where tenant_id = $1 order by issued_at desc',
      [tenantId],
    )
    const data = rows.map(({ certificate, signature }) => ({ certificate, signature: signature.toString('base64') }))
    return { data }
  })
}

function bodyOf<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  throw new InvalidInputException({ scopes: parsed.error.issues.map(({ message }) => message) })
}

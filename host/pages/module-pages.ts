import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Locale, ServiceError } from '../../partner-services/service/errors.ts'
import { localeOf } from '../http/locale.ts'
import { knownBodyLimit } from '../http/server-limits.ts'
import { viewerOf } from '../sessions/current-session.ts'
import { formTokenField, isFormToken } from '../sessions/form-token.ts'
import { requireSameOrigin } from '../sessions/same-origin.ts'
import type { PagesContext } from './context.ts'
import { type ReadFields, readFields } from './fields.ts'
import { guardHeaders, mobilePolicy, pagePolicy } from './headers.ts'
import { isMobile } from './mobile-path.ts'
import { refuse, sendAnswer, type Visit, wantsPage } from './module-answer.ts'
import { isPlainPath } from './plain-path.ts'
import { askToSignIn } from './refusal-page.ts'

/** The request headers that a module sees. */
function shownHeaders({
  headers,
}: FastifyRequest): Pick<IncomingHttpHeaders, 'accept' | 'accept-language' | 'content-type' | 'user-agent'> {
  return {
    accept: headers.accept,
    'accept-language': headers['accept-language'],
    'content-type': headers['content-type'],
    'user-agent': headers['user-agent'],
  }
}

type Params = { slug: string; '*'?: string }

/** `/m/<slug>/…`: the signed-in user's school decides which installation answers. */
export function registerModulePages(server: FastifyInstance, context: PagesContext): void {
  void server.register(async (pages) => {
    pages.addHook('onRequest', async (request, reply) => {
      guardHeaders(reply, isMobile(pathOf(request)) ? mobilePolicy : pagePolicy)
      if (!isPlainPath(request.url)) throw new ServiceError('not_found')
      // Of strangers no form is read.
      if (request.method === 'POST' && !(await context.sessions.of(request))) throw new ServiceError('unauthenticated')
    })
    for (const url of ['/m/:slug', '/m/:slug/*']) {
      pages.route({
        method: ['GET', 'POST'],
        url,
        bodyLimit: knownBodyLimit,
        handler: async (request, reply) => visit(context, request, reply),
      })
      pages.route({
        method: ['PUT', 'PATCH', 'DELETE', 'OPTIONS'],
        url,
        handler: async (_, reply) => {
          reply.header('Allow', 'GET, HEAD, POST')
          throw new ServiceError('method_not_allowed')
        },
      })
    }
  })
}

const pathOf = (request: FastifyRequest): string => `/${(request.params as Params)['*'] ?? ''}`

async function visit(context: PagesContext, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { slug } = request.params as Params
  const path = pathOf(request)
  const mobile = isMobile(path)
  const session = await context.sessions.of(request)
  if (!session) return refuseSignedOut(request, reply, mobile)
  const module = await context.modules.find(session.tenant.id, slug)
  const here = { request, reply, session, mobile, path }
  return module ? answer(context, { ...here, module }) : refuse(here, 'not_found')
}

/** Nothing leads from a mobile screen to the sign-in of the web: its own app asks again. */
function refuseSignedOut(request: FastifyRequest, reply: FastifyReply, mobile: boolean): FastifyReply {
  if (mobile || request.method !== 'GET' || !wantsPage(request)) throw new ServiceError('unauthenticated')
  return askToSignIn(request, reply)
}

async function answer(context: PagesContext, here: Visit): Promise<FastifyReply> {
  const { request, reply, session, module, path } = here
  const locale = localeOf(request.headers['accept-language'])
  const query = readFields(withoutToken(request.query), locale)
  const body = readBody(here, locale)
  const viewer = viewerOf(session)
  const audience = context.audienceOf(module)
  if (!audience.covers(viewer, path)) {
    if (context.settings.PARTNERS_AUDIENCE_GUARD_MODE === 'enforce') return refuse(here, 'forbidden')
    request.log.warn({ app: module.slug, path, roles: viewer?.roles }, 'outside every declared audience')
  }
  const input = {
    method: request.method,
    path,
    query: query.fields,
    body: body.fields,
    repeated: request.method === 'POST' ? body.repeated : query.repeated,
    headers: shownHeaders(request),
    viewer,
    locale,
    settings: module.settings,
  }
  const answered = await context.moduleCalls.call({ installation: module, viewer, locale, entry: 'route', input })
  reply.header('X-Invocation-Id', answered.invocationId)
  if (answered.ok) return sendAnswer(context.sanitiser, here, answered)
  if (answered.retryAfter !== undefined) reply.header('Retry-After', answered.retryAfter)
  const { code, invocationId, scope, errors } = answered
  const details = { ...(scope === undefined ? {} : { scope }), ...(errors === undefined ? {} : { errors }) }
  return refuse(here, code, invocationId, details)
}

/** A register of 2,000 students needs so many fields; each takes time of the whole web process. */
const mostFields = 10_000

/** The fields of a form, or of JSON, without the host's own. One that was not served to this session for this module is refused. */
function readBody({ request, session, module }: Visit, locale: Locale): ReadFields {
  if (request.method !== 'POST') return { fields: {}, repeated: {} }
  requireSameOrigin(request)
  const body = request.body ?? {}
  if (typeof body !== 'object' || Array.isArray(body)) throw new ServiceError('bad_request')
  if (valuesIn(body) > mostFields) throw new ServiceError('payload_too_large')
  const given = (body as Record<string, unknown>)[formTokenField] ?? request.headers['x-form-token']
  if (!isFormToken(given, session.csrfSecret, module.slug)) throw new ServiceError('session_expired')
  return readFields(withoutToken(body), locale)
}

/** A field that is repeated has as many values. */
const valuesIn = (body: object): number =>
  Object.values(body).reduce((count: number, value) => count + (Array.isArray(value) ? value.length : 1), 0)

/** Fields as a module sees them. A token that strayed into an address is taken out of there too. */
function withoutToken(fields: unknown): Record<string, unknown> {
  const { [formTokenField]: _, ...shown } = fields as Record<string, unknown>
  return shown
}

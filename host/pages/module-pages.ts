import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../partner-services/service/errors.ts'
import type { InstalledModule } from '../embedded-apps/installed-modules.ts'
import type { ModuleAnswer } from '../embedded-apps/module-calls.ts'
import { localeOf } from '../http/locale.ts'
import { formToken, formTokenField, isFormToken } from '../sessions/form-token.ts'
import { requireSameOrigin } from '../sessions/same-origin.ts'
import type { Session } from '../sessions/session-store.ts'
import { readAudience } from './audience.ts'
import type { PagesContext } from './context.ts'
import { errorPage } from './error-page.ts'
import { framePage } from './frame.ts'
import { type GuestPage, readGuestAnswer } from './guest-answer.ts'
import { guardHeaders, mobilePolicy, pagePolicy, sendPage } from './headers.ts'
import { isJson } from './json-form.ts'
import { ownPath } from './sanitise/addresses.ts'
import { HtmlRefused } from './sanitise/refused.ts'

/** Request headers that a module sees. */
const shownHeaders = ['accept', 'accept-language', 'content-type', 'user-agent'] as const

type Visit = {
  request: FastifyRequest
  reply: FastifyReply
  session: Session
  module: InstalledModule
  path: string
  mobile: boolean
}

/** `/m/<slug>/…`: the signed-in user's school decides which installation answers. */
export function registerModulePages(server: FastifyInstance, context: PagesContext): void {
  for (const url of ['/m/:slug', '/m/:slug/*']) {
    server.route({ method: ['GET', 'POST'], url, handler: async (request, reply) => visit(context, request, reply) })
    server.route({
      method: ['PUT', 'PATCH', 'DELETE'],
      url,
      handler: async () => {
        throw new ServiceError('method_not_allowed')
      },
    })
  }
}

async function visit(context: PagesContext, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { slug, '*': rest = '' } = request.params as { slug: string; '*'?: string }
  const path = `/${rest}`
  const mobile = path === '/mobile' || path.startsWith('/mobile/')
  guardHeaders(reply, mobile ? mobilePolicy : pagePolicy)
  const session = await context.sessions.of(request)
  if (!session) return refuseSignedOut(request, reply)
  const module = await context.modules.find(session.tenant.id, slug)
  const here = { request, reply, session, mobile, path }
  if (!module) return fail(here, 404)
  return answer(context, { ...here, module })
}

function refuseSignedOut(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (request.method !== 'GET' || !wantsPage(request)) throw new ServiceError('unauthenticated')
  return reply.redirect(`/sign-in?next=${encodeURIComponent(request.url)}`, 303)
}

const wantsPage = (request: FastifyRequest): boolean => !request.headers.accept?.startsWith('application/json')

async function answer(context: PagesContext, here: Visit): Promise<FastifyReply> {
  const { request, session, module, path } = here
  const body = readForm(here)
  const viewer = await context.sessions.viewer(session)
  const audience = readAudience(module.manifest, module.contributions)
  if (!audience.covers(viewer, path)) {
    if (context.settings.PARTNERS_AUDIENCE_GUARD_MODE === 'enforce') return fail(here, 403)
    request.log.warn({ app: module.slug, path, roles: viewer?.roles }, 'outside every declared audience')
  }
  const locale = localeOf(request.headers['accept-language'])
  const input = {
    method: request.method,
    path,
    query: withoutToken(request.query),
    body,
    headers: Object.fromEntries(shownHeaders.map((name) => [name, request.headers[name]])),
    viewer,
    locale,
    settings: module.settings,
  }
  const answered = await context.moduleCalls.call({ installation: module, viewer, locale, entry: 'route', input })
  here.reply.header('X-Invocation-Id', answered.invocationId)
  return answered.ok ? sendAnswer(context, here, answered) : failFor(here, answered)
}

/** The form's fields without the host's own. A form that was not served to this session for this module is refused. */
function readForm({ request, session, module }: Visit): Record<string, unknown> {
  if (request.method !== 'POST') return {}
  requireSameOrigin(request)
  const body: unknown = request.body ?? {}
  if (typeof body !== 'object' || Array.isArray(body)) throw new ServiceError('bad_request')
  const given = (body as Record<string, unknown>)[formTokenField] ?? request.headers['x-form-token']
  if (!isFormToken(given, session.csrfSecret, module.slug)) throw new ServiceError('session_expired')
  return withoutToken(body)
}

/** Fields as a module sees them. A token that strayed into an address is taken out of there too. */
function withoutToken(fields: unknown): Record<string, unknown> {
  const { [formTokenField]: _, ...shown } = fields as Record<string, unknown>
  return shown
}

async function sendAnswer(
  context: PagesContext,
  here: Visit,
  answered: ModuleAnswer & { ok: true },
): Promise<FastifyReply> {
  const page = readGuestAnswer(answered.text)
  if (page === null) return fail(here, 500, answered.invocationId)
  if (page.kind === 'not_found') return fail(here, 404)
  if (page.kind === 'redirect') return sendRedirect(here, page, answered.invocationId)
  if (page.kind === 'html') return sendHtml(context, here, page, answered.invocationId)
  if (!isJson(page.json)) return fail(here, 500, answered.invocationId)
  return here.reply.status(page.status).type('application/json; charset=utf-8').send(page.json)
}

function sendRedirect(here: Visit, { path }: GuestPage & { kind: 'redirect' }, invocationId: string): FastifyReply {
  const target =
    /^\/(?![/\\])/.test(path) || path === '/' ? ownPath(`/m/${here.module.slug}${path}`, here.module.slug) : null
  return target === null ? fail(here, 500, invocationId) : here.reply.redirect(target, 303)
}

async function sendHtml(
  context: PagesContext,
  here: Visit,
  page: GuestPage & { kind: 'html' },
  invocationId: string,
): Promise<FastifyReply> {
  const { reply, session, module, request, mobile } = here
  try {
    const clean = await context.sanitiser.clean({ html: page.html, slug: module.slug })
    const content = withFormTokens(clean, formToken(session.csrfSecret, module.slug))
    const locale = localeOf(request.headers['accept-language'])
    const framed = framePage({
      locale,
      title: module.displayName,
      content,
      ...(mobile ? {} : { person: personOf(session) }),
    })
    return reply.status(page.status).type('text/html; charset=utf-8').send(framed)
  } catch (error) {
    if (!(error instanceof HtmlRefused)) throw error
    request.log.warn({ app: module.slug, invocationId }, error.message)
    return fail(here, 500, invocationId)
  }
}

/** The sanitiser wrote the tags itself, with `>` escaped inside values: the text between `<form` and `>` is one tag. */
function withFormTokens(html: string, token: string): string {
  const field = `<input type="hidden" name="${formTokenField}" value="${token}">`
  return html.replace(/<form [^>]*method="post"[^>]*>/g, (tag) => tag + field)
}

export const personOf = ({ account, tenant, csrfSecret }: Session) => ({
  name: account.displayName,
  school: tenant.name,
  signOutToken: formToken(csrfSecret, '/sign-out'),
})

function failFor(here: Visit, answered: ModuleAnswer & { ok: false }): FastifyReply {
  if (answered.retryAfter !== undefined) here.reply.header('Retry-After', answered.retryAfter)
  return fail(here, answered.status, answered.invocationId)
}

function fail(
  { request, reply, session }: Pick<Visit, 'request' | 'reply' | 'session'>,
  status: number,
  invocationId?: string,
): FastifyReply {
  const locale = localeOf(request.headers['accept-language'])
  if (!wantsPage(request))
    return reply.status(status).send({ message: 'failed', ...(invocationId ? { invocation_id: invocationId } : {}) })
  return sendPage(
    reply.status(status),
    errorPage({ locale, status, ...(invocationId ? { invocationId } : {}), person: personOf(session) }),
  )
}

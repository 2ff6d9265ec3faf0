import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  type ErrorCode,
  type ErrorDetails,
  errorBody,
  errorCatalogue,
  ServiceError,
} from '../../partner-services/service/errors.ts'
import type { InstalledModule } from '../embedded-apps/installed-modules.ts'
import type { ModuleAnswer } from '../embedded-apps/module-calls.ts'
import { localeOf } from '../http/locale.ts'
import { formToken, formTokenField } from '../sessions/form-token.ts'
import type { Session } from '../sessions/session-store.ts'
import { appName } from './app-name.ts'
import { errorPage } from './error-page.ts'
import { type GuestPage, readGuestAnswer } from './guest-answer.ts'
import { sendPage } from './headers.ts'
import { isJson } from './json-form.ts'
import { modulePage } from './module-page.ts'
import { personOf } from './person.ts'
import { ownPath } from './sanitise/addresses.ts'
import { HtmlRefused } from './sanitise/refused.ts'
import type { Sanitiser } from './sanitise/sanitiser.ts'

/** One request to a module, as the host knows it. */
export type Visit = {
  request: FastifyRequest
  reply: FastifyReply
  session: Session
  module: InstalledModule
  path: string
  mobile: boolean
}

export const wantsPage = (request: FastifyRequest): boolean => !request.headers.accept?.startsWith('application/json')

/** Sends what a module's route answered. What is no answer of the SDK's is the module's fault: a plain error. */
export async function sendAnswer(
  sanitiser: Sanitiser,
  here: Visit,
  answered: ModuleAnswer & { ok: true },
): Promise<FastifyReply> {
  const { invocationId } = answered
  const refuseAnswer = (reason: string) => {
    answered.report('unusable_answer', reason)
    return refuse(here, 'internal', invocationId)
  }
  const page = readGuestAnswer(answered)
  if (page?.kind === 'not_found') return refuse(here, 'not_found')
  if (page?.kind === 'redirect') return sendRedirect(here, page, refuseAnswer)
  if (page?.kind === 'html') {
    if (script.test(page.html)) answered.report('scripts_removed', 'a page runs no scripts: the host took them out')
    return sendHtml(sanitiser, here, page, answered.report, refuseAnswer)
  }
  if (page?.kind === 'longJson') return sendLongJson(here, page, refuseAnswer)
  if (page?.kind !== 'json' || !isJson(page.json)) return refuseAnswer('it is neither HTML nor JSON')
  return here.reply.status(page.status).type('application/json; charset=utf-8').send(page.json)
}

const script = /<script\b/i

type Report = (ModuleAnswer & { ok: true })['report']
type RefuseAnswer = (reason: string) => FastifyReply

/** Sends the bytes as they came. They are given back once the last of them is with the system, or nobody waits for them. */
function sendLongJson(
  here: Visit,
  { status, lent, start }: GuestPage & { kind: 'longJson' },
  refuseAnswer: RefuseAnswer,
): FastifyReply {
  here.reply.raw.once('close', lent.release)
  // Byte by byte is enough: outside of its strings JSON is ASCII.
  if (!isJson(lent.bytes.toString('latin1', start))) return refuseAnswer('it is neither HTML nor JSON')
  return here.reply.status(status).type('application/json; charset=utf-8').send(lent.bytes.subarray(start))
}

function sendRedirect(
  here: Visit,
  { path }: GuestPage & { kind: 'redirect' },
  refuseAnswer: RefuseAnswer,
): FastifyReply {
  const { module, mobile, reply, request } = here
  const root = `/m/${module.slug}`
  if (`${path.split(/[?#]/, 1)[0]}/`.startsWith(`${root}/`))
    return refuseAnswer(`it redirects below "${root}${root}": a redirect is written without "${root}"`)
  const inModule = /^\/(?![/\\])/.test(path) ? `${root}${path}` : undefined
  const target = ownPath(inModule, { slug: module.slug, mobile, url: request.url })
  return target === null ? refuseAnswer('it redirects out of the app') : reply.redirect(target, 303)
}

async function sendHtml(
  sanitiser: Sanitiser,
  here: Visit,
  page: GuestPage & { kind: 'html' },
  report: Report,
  refuseAnswer: RefuseAnswer,
): Promise<FastifyReply> {
  const { reply, session, module, request, mobile } = here
  try {
    const { html, removed } = await sanitiser.clean(session.tenant.id, {
      html: page.html,
      slug: module.slug,
      mobile,
      url: request.url,
    })
    if (removed !== null) report('address_removed', removed)
    const locale = localeOf(request.headers['accept-language'])
    const framed = modulePage({
      locale,
      app: appName(module, locale),
      // A sandboxed screen sends no form: it needs no token, and no script there shall find one.
      content: mobile ? html : withFormTokens(html, formToken(session.csrfSecret, module.slug)),
      person: mobile ? null : personOf(session),
    })
    return sendPage(reply.status(page.status), framed)
  } catch (error) {
    if (!(error instanceof HtmlRefused)) throw error
    return refuseAnswer(error.message)
  }
}

/** The sanitiser wrote the tags itself, with `>` escaped inside values: the text between `<form` and `>` is one tag. */
function withFormTokens(html: string, token: string): string {
  const field = `<input type="hidden" name="${formTokenField}" value="${token}">`
  return html.replace(/<form [^>]*method="post"[^>]*>/g, (tag) => tag + field)
}

/** A refusal as a page for people, as JSON for programs; a mobile screen shows nothing that leads out of it. */
export function refuse(
  here: Omit<Visit, 'module'>,
  code: ErrorCode,
  invocationId?: string,
  details: ErrorDetails = {},
): FastifyReply {
  const { request, reply, session, mobile } = here
  const locale = localeOf(request.headers['accept-language'])
  const { status } = errorCatalogue[code]
  const quote = invocationId ? { invocationId } : {}
  if (wantsPage(request)) {
    const person = mobile ? null : personOf(session)
    return sendPage(reply.status(status), errorPage({ locale, status, person, mobile, ...quote }))
  }
  const body = errorBody(new ServiceError(code, details), locale)
  return reply.status(status).send({ ...body, ...(invocationId ? { invocation_id: invocationId } : {}) })
}

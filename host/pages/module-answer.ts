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
import { sendPage } from './headers.ts'
import { judgeAnswer } from './judge-answer.ts'
import { modulePage } from './module-page.ts'
import { personOf } from './person.ts'
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
  const { request, reply, session, module, mobile } = here
  const at = { tenantId: session.tenant.id, slug: module.slug, mobile, url: request.url }
  const page = await judgeAnswer(sanitiser, at, answered)
  switch (page.kind) {
    case 'not_found':
      return refuse(here, 'not_found')
    case 'unusable':
      return refuse(here, 'internal', answered.invocationId)
    case 'redirect':
      return reply.redirect(page.target, 303)
    case 'html':
      return sendHtml(here, page)
    case 'json':
      return reply.status(page.status).type(jsonType).send(page.json)
    case 'longJson':
      // The bytes go as they came. They are given back once the last of them is with the system, or nobody waits for them.
      reply.raw.once('close', page.lent.release)
      return reply.status(page.status).type(jsonType).send(page.lent.bytes.subarray(page.start))
  }
}

const jsonType = 'application/json; charset=utf-8'

function sendHtml(here: Visit, { status, html }: { status: number; html: string }): FastifyReply {
  const { reply, session, module, request, mobile } = here
  const locale = localeOf(request.headers['accept-language'])
  const framed = modulePage({
    locale,
    app: appName(module, locale),
    // A sandboxed screen sends no form: it needs no token, and no script there shall find one.
    content: mobile ? html : withFormTokens(html, formToken(session.csrfSecret, module.slug)),
    person: mobile ? null : personOf(session),
  })
  return sendPage(reply.status(status), framed)
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

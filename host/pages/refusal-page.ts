import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ServiceError } from '../../partner-services/service/errors.ts'
import { localeOf } from '../http/locale.ts'
import { errorPage } from './error-page.ts'
import { mobilePolicy, sendPage } from './headers.ts'

/** True for a browser that shows a person what it gets. */
export const showsPages = ({ headers }: FastifyRequest): boolean => headers.accept?.includes('text/html') ?? false

/** A refusal as a page, for a person whom a form or an address led to it. */
export function sendRefusal(request: FastifyRequest, reply: FastifyReply, error: ServiceError): FastifyReply {
  const { status, details } = error
  if (details.retryAfter !== undefined) reply.header('Retry-After', details.retryAfter)
  const locale = localeOf(request.headers['accept-language'])
  const mobile = reply.getHeader('Content-Security-Policy') === mobilePolicy
  return sendPage(reply.status(status), errorPage({ locale, status, person: null, mobile }))
}

/** Asks who it is, and comes back to this very address. */
export const askToSignIn = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  reply.redirect(`/sign-in?next=${encodeURIComponent(request.url)}`, 303)

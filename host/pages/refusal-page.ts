import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ServiceError } from '../../partner-services/service/errors.ts'
import { localeOf } from '../http/locale.ts'
import { errorPage } from './error-page.ts'
import type { CurrentSession } from '../sessions/current-session.ts'
import { mobilePolicy, sendPage } from './headers.ts'
import { type Person, personOf } from './person.ts'

/** True for a browser that shows a person what it gets. */
export const showsPages = ({ headers }: FastifyRequest): boolean => headers.accept?.includes('text/html') ?? false

/** A refusal as a page, for a person whom a form or an address led to it: `person`, where it is known who is signed in. */
export function sendRefusal(
  request: FastifyRequest,
  reply: FastifyReply,
  error: ServiceError,
  person: Person | null = null,
): FastifyReply {
  const { status, details } = error
  if (details.retryAfter !== undefined) reply.header('Retry-After', details.retryAfter)
  const locale = localeOf(request.headers['accept-language'])
  const mobile = reply.getHeader('Content-Security-Policy') === mobilePolicy
  return sendPage(reply.status(status), errorPage({ locale, status, person: mobile ? null : person, mobile }))
}

/**
 * Who is signed in, so that a refusal's page lets them be somebody else. After a failure of the platform's own nobody is
 * asked: the database may be what is away.
 */
export async function refusedPerson(
  sessions: CurrentSession,
  request: FastifyRequest,
  error: ServiceError,
): Promise<Person | null> {
  if (error.status >= 500) return null
  const session = await sessions.of(request).catch(() => null)
  return session && personOf(session)
}

/** Asks who it is, and comes back to this very address. */
export const askToSignIn = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  reply.redirect(`/sign-in?next=${encodeURIComponent(request.url)}`, 303)

import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Cookies } from './cookies.ts'

/**
 * What ties a sign-in form to the browser that it was served to: a random cookie, from which the form's token is made.
 * Without it anybody could fetch a form and have somebody else's browser send it, signed in as the wrong person.
 */
export function browserSecret(cookies: Cookies, request: FastifyRequest, reply: FastifyReply): string {
  const known = knownBrowserSecret(cookies, request)
  if (known) return known
  const secret = randomBytes(32).toString('base64url')
  cookies.set(request, reply, 'partner_form', secret)
  return secret
}

/** Null where the browser brings none: then no form was served to it. */
export function knownBrowserSecret(cookies: Cookies, request: FastifyRequest): string | null {
  const given = cookies.read(request, 'partner_form')
  return given !== undefined && /^[\w-]{43}$/.test(given) ? given : null
}

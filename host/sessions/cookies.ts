import type { FastifyReply, FastifyRequest } from 'fastify'

const plainName = 'partner_session'

/** Over https the browser itself holds the cookie to this host and to https. */
const nameFor = (request: FastifyRequest): string => (request.protocol === 'https' ? `__Host-${plainName}` : plainName)

const attributes = (request: FastifyRequest) =>
  ({ path: '/', httpOnly: true, sameSite: 'lax', secure: request.protocol === 'https' }) as const

export const readSessionCookie = (request: FastifyRequest): string | undefined => request.cookies[nameFor(request)]

export function setSessionCookie(request: FastifyRequest, reply: FastifyReply, value: string): void {
  reply.setCookie(nameFor(request), value, attributes(request))
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  reply.clearCookie(nameFor(request), attributes(request))
}

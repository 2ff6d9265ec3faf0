import type { FastifyReply } from 'fastify'

/** Source: decisions.md, pages and origins. Styles are the host's own file. */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'none'",
  "style-src 'self'",
  "img-src 'self' data:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
].join('; ')

/** A mobile screen runs scripts in an origin of its own: no cookie of ours reaches it, and none is set. */
export const mobilePolicy = 'sandbox allow-scripts'

/** What every page and every answer below `/m` carries, whatever its kind. The policy that was set first stays. */
export function guardHeaders(reply: FastifyReply, policy: string = pagePolicy): FastifyReply {
  return reply.headers({
    'Content-Security-Policy': reply.getHeader('Content-Security-Policy') ?? policy,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'X-Frame-Options': 'SAMEORIGIN',
  })
}

export function sendPage(reply: FastifyReply, page: string): FastifyReply {
  return guardHeaders(reply).type('text/html; charset=utf-8').send(page)
}

import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * `partner_session`: who is signed in. `partner_form`: the browser that a sign-in form was served to. `partner_device`: who
 * signed in from this browser before.
 */
type Name = 'partner_session' | 'partner_form' | 'partner_device'

/** In seconds. A cookie without one ends with the browser. */
const lifetimes: Partial<Record<Name, number>> = { partner_device: 90 * 86_400 }

export type Cookies = {
  read(request: FastifyRequest, name: Name): string | undefined
  set(request: FastifyRequest, reply: FastifyReply, name: Name, value: string): void
  clear(request: FastifyRequest, reply: FastifyReply, name: Name): void
}

/**
 * Cookies that no script reads and no other site's form carries. Where people come by https, by the host's public address
 * or by this very request (as a trusted proxy says), the browser itself holds them to this host and to https.
 */
export function createCookies(publicUrl: string | undefined): Cookies {
  const alwaysSecure = publicUrl?.startsWith('https:') ?? false
  const isSecure = (request: FastifyRequest) => alwaysSecure || request.protocol === 'https'
  const nameFor = (request: FastifyRequest, name: Name) => (isSecure(request) ? `__Host-${name}` : name)
  const attributes = (request: FastifyRequest) =>
    ({ path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure(request) }) as const
  return {
    read: (request, name) => request.cookies[nameFor(request, name)],
    set(request, reply, name, value) {
      const maxAge = lifetimes[name]
      reply.setCookie(nameFor(request, name), value, {
        ...attributes(request),
        ...(maxAge === undefined ? {} : { maxAge }),
      })
    },
    clear(request, reply, name) {
      reply.clearCookie(nameFor(request, name), attributes(request))
    },
  }
}

import type { IncomingMessage, Server } from 'node:http'
import type { FastifyRequest } from 'fastify'

/** In milliseconds, from a request's headers to the end of its body, where nobody has vouched for who sends it. */
const shortBody = 15_000

const known = new WeakSet<IncomingMessage>()

/** Whoever sends this request is known and may take the server's `requestTimeout` over it: an ordinary line needs a minute for 40 MB. */
export function admitSlowBody(request: FastifyRequest): void {
  known.add(request.raw)
}

/** Node has one limit for all requests. This is the one of strangers, and those cut off are told as Node's are. */
export function refuseSlowBodies(server: Server, limit = shortBody): void {
  server.on('request', (request: IncomingMessage) => {
    const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers
    if (length === '0' && coding === undefined) return
    const timer = setTimeout(() => {
      if (request.complete || known.has(request)) return
      const error = Object.assign(new Error('the body came too slowly'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
      server.emit('clientError', error, request.socket)
    }, limit).unref()
    request.once('close', () => clearTimeout(timer))
  })
}

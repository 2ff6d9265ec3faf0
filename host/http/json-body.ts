import { isUtf8 } from 'node:buffer'
import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../../partner-services/service/errors.ts'

/** Deeper JSON is refused: what walks it later may use the stack. */
const deepest = 64

/** JSON in UTF-8 is the only body that is read, unless a plugin adds its own. */
export function installJsonBody(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser('error', 'error')
  server.removeContentTypeParser(['application/json', 'text/plain'])
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (!isUtf8(body as Buffer)) return done(new ServiceError('bad_request'))
    const text = body.toString('utf8')
    if (text === '' || depthOf(text) > deepest) return done(new ServiceError('bad_request'))
    parse(request, text, done)
  })
}

/** How deep arrays and objects nest in a JSON text, as far as it is one. */
function depthOf(text: string): number {
  let depth = 0
  let greatest = 0
  let inString = false
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (inString) {
      if (unit === 0x5c) i++
      else if (unit === 0x22) inString = false
    } else if (unit === 0x22) inString = true
    else if (unit === 0x5b || unit === 0x7b) greatest = Math.max(greatest, ++depth)
    else if (unit === 0x5d || unit === 0x7d) depth--
  }
  return greatest
}

import { isUtf8 } from 'node:buffer'
import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../../partner-services/service/errors.ts'

/** Deeper JSON is refused: what walks it later may use the stack. */
const deepest = 64
/** A tenth of a second of the whole process. A partner may send forty megabytes: of short names they would take ten seconds. */
const mostValues = 100_000

/** JSON in UTF-8 is the only body that is read, unless a plugin adds its own. */
export function installJsonBody(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser('error', 'error')
  server.removeContentTypeParser(['application/json', 'text/plain'])
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (!isUtf8(body as Buffer)) return done(new ServiceError('bad_request'))
    const text = body.toString('utf8')
    const { depth, values } = measure(text)
    if (text === '' || depth > deepest) return done(new ServiceError('bad_request'))
    if (values > mostValues) return done(new ServiceError('payload_too_large'))
    parse(request, text, done)
  })
}

/** How deep arrays and objects nest in a JSON text, and how many values it holds at most, as far as it is one. */
function measure(text: string): { depth: number; values: number } {
  let depth = 0
  let greatest = 0
  let values = 1
  let inString = false
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (inString) {
      if (unit === 0x5c) i++
      else if (unit === 0x22) inString = false
    } else if (unit === 0x22) inString = true
    else if (unit === 0x2c) values++
    else if (unit === 0x5b || unit === 0x7b) {
      values++
      greatest = Math.max(greatest, ++depth)
    } else if (unit === 0x5d || unit === 0x7d) depth--
  }
  return { depth: greatest, values }
}

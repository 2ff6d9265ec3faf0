import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../../partner-services/service/errors.ts'
import type { Idempotency } from '../../partner-services/service/ports.ts'

const visibleAscii = /^[\x21-\x7e]{1,255}$/

/** The request's `Idempotency-Key` with what it stands for; null where none was sent. Throws `bad_request`. */
export function idempotencyOf(request: FastifyRequest): Idempotency | null {
  const key = request.headers['idempotency-key']
  if (key === undefined) return null
  if (typeof key !== 'string' || !visibleAscii.test(key)) throw new ServiceError('bad_request')
  const path = request.url.split('?', 1)[0]!.replace(/\/$/, '')
  const text = `${request.method}\n${path}\n${canonical(request.body)}`
  return { key, fingerprint: createHash('sha256').update(text).digest('base64url') }
}

/** The same text for the same JSON value, however its keys are ordered. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, one) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  )
}

import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { bearerToken } from '../http/bearer-token.ts'

/** True for a request that carries this host's operator credential. */
export function isOperator(request: FastifyRequest, operatorTokenHash: string): boolean {
  const given = bearerToken(request.headers.authorization)
  return timingSafeEqual(createHash('sha256').update(given).digest(), Buffer.from(operatorTokenHash, 'hex'))
}

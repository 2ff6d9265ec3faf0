import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../../../partner-services/service/errors.ts'
import { bearerToken } from '../../http/bearer-token.ts'
import { isOperator } from '../../operator/credential.ts'
import type { Actor } from '../actor.ts'
import { partnerOfKey } from '../partner-keys.ts'
import type { Db } from '../records.ts'

/**
 * Who asks, by `Authorization: Bearer`: a partner's key, or the operator's credential. A browser sends neither by
 * itself, so no other site can ask in somebody's name.
 */
export function createActorOf(system: Db, operatorTokenHash: string): (request: FastifyRequest) => Promise<Actor> {
  const known = new WeakMap<FastifyRequest, Promise<Actor>>()

  async function identify(request: FastifyRequest): Promise<Actor> {
    if (isOperator(request, operatorTokenHash)) return { kind: 'operator' }
    const partnerId = await partnerOfKey(system, bearerToken(request.headers.authorization))
    if (partnerId === null) throw new ServiceError('unauthenticated')
    return { kind: 'partner', partnerId }
  }

  return (request) => {
    const actor = known.get(request) ?? identify(request)
    known.set(request, actor)
    return actor
  }
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { callOperation } from '../../partner-services/service/call-operation.ts'
import { ServiceError } from '../../partner-services/service/errors.ts'
import type { Operation } from '../../partner-services/service/operation.ts'
import type { Ports } from '../../partner-services/service/ports.ts'
import { localeOf } from './locale.ts'
import type { TokenCallers } from './token-callers.ts'

export type RuntimeApi = {
  basePath: string
  operations: readonly Operation[]
  tokens: TokenCallers
  ports: Ports
  /** True where only test tokens are taken. Source: decisions.md, `/sandbox/apps`. */
  testTokensOnly: boolean
}

/** The HTTP door: one route for each operation. It translates and decides nothing. */
export function registerRuntimeApi(server: FastifyInstance, api: RuntimeApi): void {
  for (const operation of api.operations) {
    server.route({
      method: operation.http.method,
      url: api.basePath + operation.http.path.replace(/\{(\w+)\}/g, ':$1'),
      handler: (request, reply) => answer(operation, api, request, reply),
    })
  }
}

async function answer(
  operation: Operation,
  api: RuntimeApi,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const known = await api.tokens.identify(request.headers.authorization)
  if (api.testTokensOnly && known.environment !== 'test') throw new ServiceError('unauthenticated')
  const caller = { ...known, viewer: null, locale: localeOf(request.headers['accept-language']) }
  const { status, body } = await callOperation(operation, inputOf(request), { caller, ports: api.ports })
  return reply.status(status).header('content-type', 'application/json; charset=utf-8').send(body)
}

/** Query, body and path as one object; the path wins. A body that is no object has no fields: every required one is missing. */
function inputOf({ query, body, params }: FastifyRequest): object {
  const fields = typeof body === 'object' && body !== null && !Array.isArray(body) ? body : {}
  return { ...(query as object), ...fields, ...(params as object) }
}

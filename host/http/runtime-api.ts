import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { callOperation } from '../../partner-services/service/call-operation.ts'
import type { Caller } from '../../partner-services/service/caller.ts'
import { ServiceError } from '../../partner-services/service/errors.ts'
import type { Operation } from '../../partner-services/service/operation.ts'
import type { Ports } from '../../partner-services/service/ports.ts'
import { replyWithError, serviceErrorOf } from './error-replies.ts'
import { idempotencyOf } from './idempotency-key.ts'
import { localeOf } from './locale.ts'
import { knownBodyLimit } from './server-limits.ts'
import type { KnownCaller, TokenCallers } from './token-callers.ts'
import { methodsOf } from './unknown-routes.ts'

export type RuntimeApi = {
  basePath: string
  operations: readonly Operation[]
  tokens: TokenCallers
  ports: Ports
  /** True where only test tokens are taken. Source: decisions.md, `/sandbox/apps`. */
  testTokensOnly: boolean
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose token came with the request to the runtime API; null elsewhere, and until it is known. */
    caller: Caller | null
  }
}

/** Requests of a limited installation in a calendar minute. Source: specification, limits. */
export const requestsPerMinute = 60

/** The HTTP door: one route for each operation. It translates and decides nothing. */
export async function registerRuntimeApi(server: FastifyInstance, api: RuntimeApi): Promise<void> {
  async function refuseUnknown(request: FastifyRequest, reply: FastifyReply): Promise<never> {
    await identifyToCount(api, request)
    const allowed = methodsOf(server, request.url)
    if (allowed.length === 0) throw new ServiceError('not_found')
    reply.header('Allow', allowed.join(', '))
    throw new ServiceError('method_not_allowed')
  }

  await server.register(
    async (routes) => {
      routes.addHook('onRequest', (request, reply, done) => {
        if (request.is404) return void refuseUnknown(request, reply).catch(done)
        const remembered = api.tokens.recall(request.headers.authorization)
        const accept = (known: KnownCaller) => {
          request.caller = callerOf(request, requireEnvironment(api, known))
        }
        if (!remembered)
          return void identify(api, request)
            .then(accept)
            .then(() => done(), done)
        try {
          accept(remembered)
        } catch (error) {
          return done(error as Error)
        }
        done()
      })
      routes.setNotFoundHandler(() => {
        throw new ServiceError('not_found')
      })
      routes.setErrorHandler((error, request, reply) => refuse(api, request, reply, error))
      for (const operation of api.operations) {
        routes.route({
          method: operation.http.method,
          url: operation.http.path.replace(/\{(\w+)\}/g, ':$1'),
          bodyLimit: knownBodyLimit,
          handler: (request, reply) => answer(operation, api, request, reply),
        })
      }
    },
    { prefix: api.basePath },
  )
}

/** Answers a request below `basePath` that reached no route, because its URL is none. */
export async function refuseUnrouted(
  api: RuntimeApi,
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
): Promise<void> {
  await identifyToCount(api, request)
  await refuse(api, request, reply, error)
}

async function refuse(
  api: RuntimeApi,
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
): Promise<FastifyReply> {
  const known = await counted(api, request, serviceErrorOf(error, request))
  showLimit(reply, request.caller)
  return replyWithError(request, reply, known)
}

/** Nothing can be done there: the token counts only for the limit, and the body is not even read. */
async function identifyToCount(api: RuntimeApi, request: FastifyRequest): Promise<void> {
  const known = await identify(api, request).catch(() => null)
  if (known) request.caller = callerOf(request, known)
}

async function identify(api: RuntimeApi, request: FastifyRequest): Promise<KnownCaller> {
  return requireEnvironment(api, await api.tokens.identify(request.headers.authorization))
}

function requireEnvironment(api: RuntimeApi, known: KnownCaller): KnownCaller {
  if (api.testTokensOnly && known.environment !== 'test') throw new ServiceError('unauthenticated')
  return known
}

function callerOf({ headers }: FastifyRequest, known: KnownCaller): Caller {
  const caller: Caller = { ...known, viewer: null, locale: localeOf(headers['accept-language']) }
  if (known.installation.rateLimited) caller.meter = { limit: requestsPerMinute, used: null }
  return caller
}

async function answer(
  operation: Operation,
  api: RuntimeApi,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const caller = request.caller!
  // The body may have taken its time: what was revoked or withdrawn meanwhile writes nothing any more.
  if (operation.writes) caller.scopes = (await identify(api, request)).scopes
  const idempotency = operation.idempotent ? idempotencyOf(request) : null
  const response = await callOperation(operation, inputOf(request), { caller, ports: api.ports, idempotency })
  showLimit(reply, caller)
  if (response.replayed) reply.header('Idempotency-Replayed', 'true')
  return reply
    .status(response.status)
    .header('content-type', 'application/json; charset=utf-8')
    .header('cache-control', 'no-store')
    .send(response.body)
}

/** Path and query of a read, path and body of a write, as one object; the path wins. */
function inputOf({ method, query, body, params }: FastifyRequest): unknown {
  if (method === 'GET' || method === 'HEAD') return { ...(query as object), ...(params as object) }
  if (body === undefined) return { ...(params as object) }
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
  return isObject ? { ...body, ...(params as object) } : body
}

/** Counts a request that was refused before it reached an operation. */
async function counted(api: RuntimeApi, { caller }: FastifyRequest, error: ServiceError): Promise<ServiceError> {
  if (!caller?.meter || caller.meter.used !== null) return error
  try {
    await api.ports.database.read(caller, async () => ({ status: 200, body: '' }))
    return error
  } catch (refusal) {
    return refusal instanceof ServiceError ? refusal : error
  }
}

function showLimit(reply: FastifyReply, caller: Caller | null): void {
  if (!caller?.meter || caller.meter.used === null) return
  const { limit, used } = caller.meter
  reply.header('X-RateLimit-Limit', limit).header('X-RateLimit-Remaining', Math.max(0, limit - used))
}

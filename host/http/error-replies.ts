import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { errorBody, type ErrorCode, ServiceError } from '../../partner-services/service/errors.ts'
import { localeOf } from './locale.ts'

/** Errors of Fastify itself, by status, as codes of the catalogue. */
const codesByStatus: Record<number, ErrorCode> = {
  400: 'bad_request',
  404: 'not_found',
  405: 'method_not_allowed',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  429: 'rate_limited',
  503: 'unavailable',
}

/** Every error leaves as JSON of one shape; what we did not foresee is logged and leaves as a bare 500. */
export function installErrorReplies(server: FastifyInstance): void {
  server.setErrorHandler((error: FastifyError, request, reply) => {
    const known = knownError(error)
    if (known.status >= 500 && !(error instanceof ServiceError)) request.log.error({ err: error }, 'request failed')
    return sendError(request, reply, known)
  })
  server.setNotFoundHandler((request, reply) => sendError(request, reply, new ServiceError('not_found')))
}

function knownError(error: FastifyError): ServiceError {
  if (error instanceof ServiceError) return error
  return new ServiceError((error.statusCode && codesByStatus[error.statusCode]) || 'internal')
}

export function sendError(request: FastifyRequest, reply: FastifyReply, error: ServiceError): FastifyReply {
  if (error.status === 401) reply.header('WWW-Authenticate', 'Bearer')
  if (error.details.retryAfter !== undefined) reply.header('Retry-After', error.details.retryAfter)
  reply.status(error.status).type('application/json; charset=utf-8')
  return reply.send(JSON.stringify(errorBody(error, localeOf(request.headers['accept-language']))))
}

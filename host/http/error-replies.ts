import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { errorBody, type ErrorCode, ServiceError } from '../../partner-services/service/errors.ts'
import { isLate, isUnavailable } from '../database/unavailable.ts'
import { ReportedError } from '../processes/rpc.ts'
import { isError, refusalOf } from '../publishing/refused.ts'
import { errorsByFile } from './errors-by-file.ts'
import { localeOf } from './locale.ts'

/** Errors of Fastify itself, by status, as codes of the catalogue. */
const codesByStatus: Record<number, ErrorCode> = {
  404: 'not_found',
  405: 'method_not_allowed',
  408: 'request_timeout',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  429: 'rate_limited',
  503: 'unavailable',
}

/** Every error leaves as JSON of one shape; what we did not foresee is logged and leaves as a bare 500. */
export function installErrorReplies(server: FastifyInstance): void {
  server.setErrorHandler((error, request, reply) =>
    error instanceof ReportedError
      ? replyWithReport(reply, error)
      : replyWithError(request, reply, serviceErrorOf(error, request)),
  )
}

/** A refusal of the publisher's, with all that it found: its errors by file, and whole in its report. */
function replyWithReport(reply: FastifyReply, error: ReportedError): FastifyReply {
  const { message, findings } = refusalOf(error)
  const errors = errorsByFile(findings.filter(isError))
  return reply.status(422).send({ message, error: 'invalid_data', errors, report: error.report })
}

/** What was thrown, as an error of the catalogue. A fault of ours is logged here. */
export function serviceErrorOf(error: unknown, request: FastifyRequest): ServiceError {
  if (error instanceof ServiceError) return error
  if (isUnavailable(error)) {
    request.log.error({ err: error }, isLate(error) ? 'held up in the database' : 'the database is away')
    return new ServiceError('unavailable', { retryAfter: 1 })
  }
  const status = (error as { statusCode?: unknown })?.statusCode
  const isRefusal = typeof status === 'number' && status >= 400 && status < 500
  const code = (typeof status === 'number' && codesByStatus[status]) || (isRefusal ? 'bad_request' : 'internal')
  if (!isRefusal) request.log.error({ err: error }, 'request failed')
  return new ServiceError(code)
}

export function replyWithError(request: FastifyRequest, reply: FastifyReply, error: ServiceError): FastifyReply {
  if (error.status === 401) reply.header('WWW-Authenticate', 'Bearer')
  if (error.details.retryAfter !== undefined) reply.header('Retry-After', error.details.retryAfter)
  reply.status(error.status).type('application/json; charset=utf-8')
  return reply.send(JSON.stringify(errorBody(error, localeOf(request.headers['accept-language']))))
}

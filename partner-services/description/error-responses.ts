import { type ErrorCode, errorCatalogue, errorMessage } from '../service/errors.ts'
import type { Operation } from '../service/operation.ts'
import { type Components, exampleOf, type JsonSchema } from './json-schema.ts'

/** Errors of surfaces that are no part of the runtime API of this description. */
const elsewhere: ErrorCode[] = [
  'invalid_grant_request',
  'ai_approval_required',
  'widget_not_attributable',
  'not_author',
  'forbidden',
  'invalid_state',
  'cannot_edit_published',
  'delete_blocked_by_installs',
  'session_expired',
  'app_quarantined',
]

const statuses: Record<number, string> = {
  400: 'The request is not well formed',
  401: 'The token is missing or invalid',
  403: 'The scope is not granted',
  404: 'Absent in this tenant',
  408: 'The request arrived too slowly',
  409: 'The idempotency key is in use',
  413: 'The body is too large',
  415: 'The body is not JSON',
  422: 'Fields are invalid',
  429: 'Too many requests in this minute',
  431: 'The headers are too large',
  500: 'A fault of the platform; retry with back-off',
  503: 'Unavailable for a moment; retry with back-off',
}

const withRetryAfter = [409, 429, 503]
/** Outcomes of the request itself, which are stored under its idempotency key. */
const maybeReplayed = [404, 422]

const header = (description: string, schema: JsonSchema, required = false) => ({ description, required, schema })

export const requestIdHeader = { 'X-Request-Id': header('Quote it to support', { type: 'string' }, true) }

export const noStoreHeader = { 'Cache-Control': header('`no-store`', { type: 'string' }, true) }

export const limitHeaders = {
  'X-RateLimit-Limit': header('Requests of a minute; limited installations only', { type: 'integer' }),
  'X-RateLimit-Remaining': header('How many of them are left', { type: 'integer' }),
}

export const replayedHeader = {
  'Idempotency-Replayed': header('`true` where a stored answer was given again', { type: 'string' }),
}

/** Of an answer that says when it changed. */
export const cachedHeaders = {
  ETag: header('Changes whenever the answer does', { type: 'string' }, true),
  'Cache-Control': header('`public, no-cache`', { type: 'string' }, true),
}

/** Every status at which an operation may refuse. Held to what it answers by a test. */
export function errorStatuses({
  scope,
  http,
  writes,
  idempotent,
  takesInput,
}: Pick<Operation, 'scope' | 'http' | 'writes' | 'idempotent'> & { takesInput: boolean }): number[] {
  return [
    400,
    401,
    ...(scope === null ? [] : [403]),
    ...(http.path.includes('{') ? [404] : []),
    408,
    ...(idempotent ? [409] : []),
    ...(writes ? [413, 415] : []),
    ...(takesInput ? [422] : []),
    429,
    431,
    500,
    503,
  ]
}

/** The responses of all error statuses as components, one each. */
export function errorResponses(): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(statuses).map(([status, text]) => [`Error${status}`, response(Number(status), text)]),
  )
}

export const errorReference = (status: number) => ({ $ref: `#/components/responses/Error${status}` })

/** A refusal in the form of RFC 6749, 5.2. */
export function oauthRefusal(status: number, schema: JsonSchema, schemas: Components): JsonSchema {
  const authenticate = { 'WWW-Authenticate': header('`Basic`', { type: 'string' }, true) }
  return {
    description:
      status === 401 ? "The client's credentials are missing or wrong" : 'The request or its code is refused',
    headers: { ...requestIdHeader, ...noStoreHeader, ...(status === 401 ? authenticate : {}) },
    content: { 'application/json': { schema, example: exampleOf(schema, schemas) } },
  }
}

function response(status: number, description: string): JsonSchema {
  const codes = (Object.keys(errorCatalogue) as ErrorCode[]).filter(
    (code) => errorCatalogue[code].status === status && !elsewhere.includes(code),
  )
  const headers = {
    ...requestIdHeader,
    ...(status === 401 ? { 'WWW-Authenticate': header('`Bearer`', { type: 'string' }, true) } : limitHeaders),
    ...(withRetryAfter.includes(status)
      ? { 'Retry-After': header('Seconds', { type: 'integer' }, status === 429) }
      : {}),
    ...(maybeReplayed.includes(status) ? replayedHeader : {}),
  }
  const examples = Object.fromEntries(codes.map((code) => [code, { value: exampleBody(code) }]))
  return { description, headers, content: { 'application/json': { schema: bodySchema(status, codes), examples } } }
}

function bodySchema(status: number, codes: ErrorCode[]): JsonSchema {
  const properties: JsonSchema = { message: { type: 'string' } }
  const required = ['message']
  if (status !== 500) {
    properties.error = { type: 'string', enum: codes }
    required.push('error')
  }
  if (status === 403) properties.scope = { type: 'string', description: 'The missing scope' }
  if (status === 422) {
    properties.errors = {
      type: 'object',
      description: 'Messages by field',
      additionalProperties: { type: 'array', items: { type: 'string' } },
    }
    required.push('errors')
  }
  return { type: 'object', required, properties }
}

function exampleBody(code: ErrorCode): JsonSchema {
  const scope = code === 'scope_not_granted' ? 'education.students.read' : undefined
  return {
    message: errorMessage(code, 'en', scope ? { scope } : {}),
    ...(code === 'internal' ? {} : { error: code }),
    ...(scope ? { scope } : {}),
    ...(code === 'invalid_data'
      ? { errors: { full_name: ['Invalid input: expected string, received undefined'] } }
      : {}),
  }
}

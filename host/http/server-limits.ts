import { type Server, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { ulid } from 'ulid'
import { type ErrorCode, errorBody, ServiceError } from '../../partner-services/service/errors.ts'

/** In bytes, for bodies of every door that names no other: they are parsed before it is known whose they are. */
export const bodyLimit = 65_536
/** In bytes, where nothing is read before it is known who asks: a megabyte takes a tenth of a second to parse. */
export const knownBodyLimit = 1_048_576
/** In bytes, for a module's whole source or a school's files. */
export const sourceBodyLimit = 40_000_000
/** In bytes, of a school's files together: base64 makes four of three, and something stands beside them. */
export const schoolFilesLimit = (sourceBodyLimit * 3) / 4 - 100_000

/**
 * Who sends slowly is cut off (strangers sooner: `slow-bodies.ts`), and who does not read what was asked for; all in
 * milliseconds. A connection without a request may wait a little longer, and so may one whose answer takes long, as
 * publishing does.
 */
export const timeouts = {
  requestTimeout: 300_000,
  connectionTimeout: 300_000,
  keepAliveTimeout: 72_000,
  http: { headersTimeout: 5_000, connectionsCheckingInterval: 1_000, maxHeaderSize: 16_384 },
}

/** A connection whose last request was answered while the server closes is ended then, not when its keep-alive is over. */
export function endIdleConnections(server: Server): void {
  const timer = setInterval(() => server.closeIdleConnections(), 50).unref()
  server.once('close', () => clearInterval(timer))
}

/** Node answers an expectation that it does not know by itself, without an id to quote; RFC 9110, 10.1.1, lets us pass it over. */
export function ignoreExpectations(server: Server): void {
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response))
}

const codes: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** What Node's parser refuses never reaches a route; it gets the same shape of answer. */
export function refuseBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const refusal = new ServiceError(codes[error.code ?? ''] ?? 'bad_request')
  const body = JSON.stringify(errorBody(refusal, 'en'))
  if (socket.writable) {
    socket.write(
      `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
        `Content-Type: application/json; charset=utf-8\r\nX-Request-Id: ${ulid()}\r\nConnection: close\r\n\r\n${body}`,
    )
  }
  socket.destroySoon()
}

import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../../partner-services/service/errors.ts'

/** Refuses a form that another site sent: the browser says where it comes from, in either of two headers. */
export function requireSameOrigin(request: FastifyRequest): void {
  const site = request.headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw new ServiceError('forbidden')
  const { origin } = request.headers
  if (origin !== undefined && hostOf(origin) !== request.host) throw new ServiceError('forbidden')
}

/** True where the browser itself says that a page of this very host sent the form. */
export const isFromOwnPage = ({ headers, host }: FastifyRequest): boolean =>
  headers['sec-fetch-site'] === 'same-origin' || (headers.origin !== undefined && hostOf(headers.origin) === host)

function hostOf(origin: string): string | null {
  try {
    return new URL(origin).host
  } catch {
    return null
  }
}

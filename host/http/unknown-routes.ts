import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ServiceError } from '../../partner-services/service/errors.ts'
import { sendRefusal, showsPages } from '../pages/refusal-page.ts'

/** All that any route takes. HEAD goes with GET. */
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** What strangers learn nothing of: for them a known path below it with another method looks like no path at all. */
export type ClosedDoor = {
  prefix: string
  /** Paths below it that are open to everybody. */
  open?: string[]
  admits(request: FastifyRequest): Promise<boolean>
}

/** Which methods a requested address takes, for `Allow`: what the router itself finds there. Empty where nothing is. */
export function methodsOf(server: FastifyInstance, url: string): string[] {
  // Only clients of proxies ask with a whole address; none of our routes' callers does.
  if (!url.startsWith('/')) return []
  return methods.filter((method) => server.findRoute({ method, url }) !== null)
}

/**
 * One answer for whatever no route takes: 405 with the methods that the path does take, else 404. A person who mistyped an
 * address sees a page; below `programs` there are no pages, and some clients say that they take HTML before all else.
 */
export function installUnknownRoutes(
  server: FastifyInstance,
  closed: readonly ClosedDoor[],
  programs: readonly string[],
): void {
  server.setNotFoundHandler(async (request, reply) => {
    const allowed = methodsOf(server, request.url)
    const isKnown = allowed.length > 0 && (await mayKnow(request, closed))
    if (isKnown) reply.header('Allow', allowed.join(', '))
    const error = new ServiceError(isKnown ? 'method_not_allowed' : 'not_found')
    const path = `${pathOf(request)}/`
    if (!showsPages(request) || programs.some((prefix) => path.startsWith(`${prefix}/`))) throw error
    return sendRefusal(request, reply, error)
  })
}

/** Decoded whole, which is more than the router does: no encoding leads past a closed door. */
const pathOf = (request: FastifyRequest): string => decodeURIComponent(request.url.split(/[?#]/, 1)[0]!)

async function mayKnow(request: FastifyRequest, closed: readonly ClosedDoor[]): Promise<boolean> {
  const path = pathOf(request)
  const door = closed.find(({ prefix }) => path.startsWith(`${prefix}/`))
  return !door || door.open?.includes(path) || door.admits(request)
}

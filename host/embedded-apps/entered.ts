import { z } from 'zod'
import { findRoute, segmentsOf } from '../../partner-services/sdk/guest/route-table.ts'
import { routesOf } from './named-route.ts'

const asked = z.object({ method: z.string(), path: z.string() })
const named = z.object({ name: z.string() }).or(z.object({ key: z.string() }).transform(({ key }) => ({ name: key })))

/**
 * What a call entered, as the module's author wrote it: `GET /loans/:id`, `tool find_loan`, `event student.created`. Never
 * the path that was asked for: it may name a child.
 */
export function enteredAt(contributions: unknown, entry: string, input: unknown): string {
  const request = asked.safeParse(input).data
  if (!request) return [entry, named.safeParse(input).data?.name].filter(Boolean).join(' ')
  const routes = routesOf(contributions).map((route) => ({ ...route, segments: segmentsOf(route.path) }))
  const found = findRoute(routes, request.method, request.path)
  return found ? `${found.route.method} ${found.route.path}` : entry
}

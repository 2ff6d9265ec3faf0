import type { ModuleDefinition, RouteHandler } from '../define-module.ts'

export type Route = { method: string; path: string; name: string; segments: string[]; handler: RouteHandler }

/** How others write the parts that change, and escapes: a route with these would answer nobody. */
const foreignPattern = /[{}[\]*?#%]/

/** A module's routes, fixed paths before those with `:name` parts. Throws on a key that is no `METHOD /path`. */
export function routeTable(routes: ModuleDefinition['routes'] = {}): Route[] {
  return Object.entries(routes).map(readRoute).sort(byPrecision)
}

function readRoute([key, handler]: [string, RouteHandler]): Route {
  const match = /^(GET|POST) (\/\S*)$/.exec(key)
  if (!match)
    throw new TypeError(`"${key}" is no route: write "GET /path" or, for what changes something, "POST /path"`)
  if (typeof handler !== 'function') throw new TypeError(`the route "${key}" has no handler`)
  const [, method, path] = match as unknown as [string, string, string]
  if (foreignPattern.test(path)) throw new TypeError(`"${key}" is no route: a part that changes is written :name`)
  const segments = segmentsOf(path)
  return { method, path, name: nameOf(method, segments), segments, handler }
}

/** `GET /loans/:id` → `loans.id`, `POST /loans` → `loans.post`. */
function nameOf(method: string, segments: string[]): string {
  const parts = segments.map((segment) => segment.toLowerCase().replace(/[^a-z0-9_-]/g, ''))
  return [...(parts.length === 0 ? ['index'] : parts), ...(method === 'GET' ? [] : [method.toLowerCase()])].join('.')
}

export const segmentsOf = (path: string) => path.split('/').filter((segment) => segment !== '')

function byPrecision(a: Route, b: Route): number {
  const pattern = ({ segments }: Route) => segments.map((segment) => (segment[0] === ':' ? '1' : '0')).join('')
  return a.segments.length - b.segments.length || pattern(a).localeCompare(pattern(b))
}

/**
 * The route of a request and the values of its `:name` parts. Null where there is none. The path is decoded: the host did
 * so once, before it judged it.
 */
export function findRoute<Known extends Pick<Route, 'method' | 'segments'>>(
  routes: readonly Known[],
  method: string,
  path: string,
): { route: Known; params: Record<string, string> } | null {
  const wanted = method === 'HEAD' ? 'GET' : method
  const segments = segmentsOf(path)
  for (const route of routes) {
    if (route.method !== wanted || route.segments.length !== segments.length) continue
    const params = paramsOf(route.segments, segments)
    if (params) return { route, params }
  }
  return null
}

function paramsOf(pattern: readonly string[], segments: readonly string[]): Record<string, string> | null {
  const params: Record<string, string> = {}
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index]!
    if (part[0] === ':') params[part.slice(1)] = segment
    else if (part !== segment) return null
  }
  return params
}

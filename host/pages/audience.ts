import { z } from 'zod'
import type { Viewer } from '../../partner-services/service/caller.ts'
import { routeNamed, routesOf } from '../embedded-apps/named-route.ts'
import { isPlainPath } from './plain-path.ts'

/** For whom an app is. Source: specification, audience declaration. */
const accountType = z.object({
  roles: z.array(z.string()).optional(),
  portal: z.enum(['student', 'guardian']).optional(),
  web_route: z.string().optional(),
  mobile_entry: z.string().optional(),
})
const declaration = z.object({ moduleId: z.string().default(''), account_types: z.array(accountType).default([]) })

type AccountType = z.output<typeof accountType>

export type Audience = {
  /**
   * The page that the app's card in the launcher opens for this person; null where they get no card: it is not for them, or
   * has no page for them. An app that declares nobody is for everybody, and opens at its first page.
   */
  entry(viewer: Viewer | null): string | null
  /**
   * Whether a declared audience covers this path for this person; a `web_route` covers its route's path and all below, and
   * nothing where the module has no such route; a `mobile_entry` covers all mobile screens: they lead to one another.
   */
  covers(viewer: Viewer | null, path: string): boolean
}

export type AudienceOf = (app: { manifest: unknown; contributions: unknown }) => Audience

/** Reads each app's declaration once, for as long as its record is the same object. */
export function createAudiences(): AudienceOf {
  const known = new WeakMap<object, Audience>()
  return (app) => {
    const audience = known.get(app) ?? readAudience(app.manifest, app.contributions)
    known.set(app, audience)
    return audience
  }
}

function readAudience(manifest: unknown, contributions: unknown): Audience {
  const { moduleId: slug = '', account_types: types = [] } = declaration.safeParse(manifest).data ?? {}
  const routes = routesOf(contributions)
  const pages = routes
    .filter(({ method, path }) => method === 'GET' && !path.includes('/:'))
    .map(({ path }) => fixedPath(path))
    .filter(isPlainPath)
  const pathsOf = (name: string) => {
    const route = routeNamed(routes, slug, name)
    return route ? [fixedPath(route.path)] : []
  }
  const within = (path: string, prefix: string) => prefix === '/' || path === prefix || path.startsWith(`${prefix}/`)
  const webPathsOf = ({ web_route: route }: AccountType) => (route === undefined ? [] : pathsOf(route))
  const surfaces = (type: AccountType) => [...webPathsOf(type), ...(type.mobile_entry === undefined ? [] : ['/mobile'])]
  const ofNobody = pages.find((page) => !within(page, '/mobile')) ?? null
  return {
    entry(viewer) {
      if (types.length === 0) return ofNobody
      const own = types.flatMap((type) => (includes(type, viewer) ? webPathsOf(type) : []))
      return own.find((path) => pages.includes(path)) ?? null
    },
    covers: (viewer, path) =>
      types.length === 0 ||
      types.some((type) => includes(type, viewer) && surfaces(type).some((prefix) => within(path, prefix))),
  }
}

/** A route's path before its first `:name`, written as requests are matched: empty parts count for nothing. */
function fixedPath(route: string): string {
  const parts = route.split('/').filter((part) => part !== '')
  const changing = parts.findIndex((part) => part.startsWith(':'))
  return `/${(changing < 0 ? parts : parts.slice(0, changing)).join('/')}`
}

/** A portal key inside `roles` matches nobody: students and guardians have no roles. */
function includes(type: AccountType, viewer: Viewer | null): boolean {
  if (!viewer) return false
  if (type.portal !== undefined) return viewer.type === type.portal
  return viewer.type === 'employee' && (type.roles ?? []).some((role) => viewer.roles.includes(role))
}

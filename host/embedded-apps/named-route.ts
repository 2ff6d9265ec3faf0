import { z } from 'zod'

const namedRoute = z.object({ method: z.string(), name: z.string(), path: z.string() })
const described = z.object({ routes: z.array(namedRoute).default([]) })

export type NamedRoute = z.output<typeof namedRoute>

/** The routes of a module as it described itself; none for an app without code. */
export const routesOf = (contributions: unknown): NamedRoute[] => described.safeParse(contributions).data?.routes ?? []

/** The route of a name, before which the app's slug may stand: `loans.id` or `library.loans.id`. */
export const routeNamed = (routes: readonly NamedRoute[], slug: string, name: string): NamedRoute | undefined =>
  routes.find((route) => route.name === name) ?? routes.find((route) => `${slug}.${route.name}` === name)

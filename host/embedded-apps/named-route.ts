import { z } from 'zod'

const described = z.object({ routes: z.array(z.object({ name: z.string(), path: z.string() })).default([]) })

export type NamedRoute = { name: string; path: string }

/** The routes of a module as it described itself; none for an app without code. */
export const routesOf = (contributions: unknown): NamedRoute[] => described.safeParse(contributions).data?.routes ?? []

/** The route of a name, before which the app's slug may stand: `loans.id` or `library.loans.id`. */
export const routeNamed = (routes: readonly NamedRoute[], slug: string, name: string): NamedRoute | undefined =>
  routes.find((route) => route.name === name) ?? routes.find((route) => `${slug}.${route.name}` === name)

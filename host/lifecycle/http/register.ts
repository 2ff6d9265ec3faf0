import type { FastifyInstance } from 'fastify'
import { keepOutOfCaches } from '../../http/no-store.ts'
import { knownBodyLimit } from '../../http/server-limits.ts'
import { admitSlowBody } from '../../http/slow-bodies.ts'
import { registerAppRoutes } from './app-routes.ts'
import { registerCatalogRoutes } from './catalog-routes.ts'
import type { LifecycleContext } from './context.ts'
import { registerMigrationRoutes } from './migration-routes.ts'
import { registerMoveRoutes } from './move-routes.ts'
import { registerVersionRoutes } from './version-routes.ts'

/** What partners and reviewers do, as JSON below `<partnersPath>/api`. */
export async function registerLifecycle(
  server: FastifyInstance,
  partnersPath: string,
  context: LifecycleContext,
): Promise<void> {
  await server.register(
    async (portal) => {
      portal.addHook('onRoute', (route) => {
        route.bodyLimit ??= knownBodyLimit
      })
      keepOutOfCaches(portal)
      // Strangers without a key do not make the host read a module's whole source.
      portal.addHook('onRequest', async (request) => {
        await context.actorOf(request)
        admitSlowBody(request)
      })
      registerAppRoutes(portal, context)
      registerVersionRoutes(portal, context)
      registerMoveRoutes(portal, context)
      registerCatalogRoutes(portal, context)
      registerMigrationRoutes(portal, context)
    },
    { prefix: `${partnersPath}/api` },
  )
}

import type { FastifyInstance } from 'fastify'
import { registerDeliveries } from '../events/delivery-routes.ts'
import type { PartnerPortalContext } from '../events/portal-context.ts'
import { registerWebhook } from '../events/webhook-routes.ts'
import { registerPartnerInstallations } from './partner-routes.ts'

/** What a partner sees and does about a published app, as JSON below `<partnersPath>/api/apps/<slug>`. */
export function registerPartnerPortal(server: FastifyInstance, context: PartnerPortalContext): void {
  registerDeliveries(server, context)
  registerWebhook(server, context)
  registerPartnerInstallations(server, context)
}

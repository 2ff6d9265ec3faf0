import type { FastifyRequest } from 'fastify'
import type pg from 'pg'
import type { EventDefinition } from '../../partner-services/description/events.ts'
import { NotFoundException } from '../../partner-services/service/errors.ts'
import type { Cipher } from '../../partner-services/service/ports.ts'
import type { InstallationKey, OldTokens } from '../security/tokens.ts'

/** The partner of a request; an operator (null) sees every app. */
export type Partner = { partnerId: string | null }

export type PartnerPortalContext = {
  /** The system role's pool. */
  system: pg.Pool
  cipher: Cipher
  clock: () => Date
  events: readonly EventDefinition[]
  /** Tells the delivery workers that something is due. */
  wake: () => void
  /** Throws `unauthenticated` where no partner asks. */
  requirePartner: (request: FastifyRequest) => Promise<Partner>
  rotateToken: (installation: InstallationKey, oldTokens: OldTokens) => Promise<string>
  partnersPath: string
}

/** An app as its partner's routes need it. */
export type OwnApp = { id: string; webhook_url: string | null; webhook_events: string[] }
export type Slug = { Params: { slug: string } }
export type SlugAndId = { Params: { slug: string; id: string } }

/** Where the routes of an app begin. */
export const appPath = ({ partnersPath }: Pick<PartnerPortalContext, 'partnersPath'>): string =>
  `${partnersPath}/api/apps/:slug`

/** The app of a request. Another partner's app looks like none. */
export async function ownApp(
  { system, requirePartner }: PartnerPortalContext,
  request: FastifyRequest<Slug>,
): Promise<OwnApp> {
  const { partnerId } = await requirePartner(request)
  const { rows } = await system.query<OwnApp>(
    'select id, webhook_url, webhook_events from core.apps where slug = $1 and ($2::text is null or partner_id = $2)',
    [request.params.slug, partnerId],
  )
  if (!rows[0]) throw new NotFoundException()
  return rows[0]
}

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type pg from 'pg'
import { z } from 'zod'
import { InvalidInputException, NotFoundException, ServiceError } from '../../partner-services/service/errors.ts'
import type { EventDefinition } from '../../partner-services/description/events.ts'
import type { Cipher } from '../../partner-services/service/ports.ts'
import { parseRequest } from '../http/parse-request.ts'
import { issueAppCredentials } from '../installations/app-credentials.ts'
import { showTokenOnce } from '../installations/show-token.ts'
import { listDeliveries, showDelivery } from './deliveries.ts'
import { resumeEndpoint } from './endpoint-health.ts'
import { recoverSince, replayDeliveries } from './replay.ts'
import { sendTestEvent } from './test-event.ts'

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
  /** Throws `unauthenticated` where no partner is signed in. Also refuses what another site sent. */
  requirePartner: (request: FastifyRequest) => Promise<Partner>
  rotateToken: (installation: { tenantId: string; installationId: string }) => Promise<string>
  partnersPath: string
}

type App = { id: string; webhook_url: string | null; webhook_events: string[] }
type Slug = { Params: { slug: string } }
type SlugAndId = { Params: { slug: string; id: string } }

const listFilter = z.object({
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
  per_page: z.coerce.number().int().min(1).max(100).default(20),
  state: z.enum(['pending', 'delivering', 'delivered', 'retrying', 'terminal']).optional(),
  event: z.string().max(200).optional(),
  installation_id: z.string().max(26).optional(),
})
const replayBody = z.object({ ids: z.array(z.uuid()).min(1).max(1_000) })
const recoverBody = z.object({ since: z.iso.datetime() })
const testBody = z.object({ event: z.string().max(200).optional() })

/** What a partner sees and does about deliveries, as JSON below `<partnersPath>/api/apps/<slug>`. */
export function registerPartnerPortal(server: FastifyInstance, context: PartnerPortalContext): void {
  const { system, cipher, clock, wake } = context
  const base = `${context.partnersPath}/api/apps/:slug`
  const appOf = async (request: FastifyRequest<Slug>): Promise<App> => {
    const { partnerId } = await context.requirePartner(request)
    // Another partner's app looks like none.
    const { rows } = await system.query<App>(
      'select id, webhook_url, webhook_events from core.apps where slug = $1 and ($2::text is null or partner_id = $2)',
      [request.params.slug, partnerId],
    )
    if (!rows[0]) throw new NotFoundException()
    return rows[0]
  }

  server.get<Slug>(`${base}/deliveries`, async (request) => {
    const { id } = await appOf(request)
    const { page, per_page, installation_id: installationId, state, event } = parseRequest(listFilter, request.query)
    return listDeliveries(system, id, { state, event, installationId }, { page, per_page })
  })

  server.get<SlugAndId>(`${base}/deliveries/:id`, async (request) => {
    const { id } = await appOf(request)
    return { delivery: await showDelivery(system, cipher, id, request.params.id) }
  })

  server.post<Slug>(`${base}/deliveries/replay`, async (request, reply) => {
    const { id } = await appOf(request)
    const replayed = await replayDeliveries(system, id, parseRequest(replayBody, request.body).ids, clock())
    wake()
    return reply.status(202).send({ replayed })
  })

  server.post<SlugAndId>(`${base}/deliveries/:id/replay`, async (request, reply) => {
    const { id } = await appOf(request)
    await showDelivery(system, cipher, id, request.params.id)
    const [replayed] = await replayDeliveries(system, id, [request.params.id], clock())
    if (!replayed) throw new ServiceError('invalid_state')
    wake()
    return reply.status(202).send({ delivery: { id: replayed, state: 'pending' } })
  })

  server.post<Slug>(`${base}/deliveries/recover`, async (request, reply) => {
    const { id } = await appOf(request)
    const recovered = await recoverSince(system, id, new Date(parseRequest(recoverBody, request.body).since), clock())
    wake()
    return reply.status(202).send({ recovered })
  })

  server.get<Slug>(`${base}/webhook`, async (request) => {
    const { id, webhook_url: url, webhook_events: events } = await appOf(request)
    const { rows } = await system.query<{ failing_since: Date | null; paused_at: Date | null }>(
      'select failing_since, paused_at from core.endpoints where app_id = $1',
      [id],
    )
    return { webhook: { url, events, failing_since: null, paused_at: null, ...rows[0] } }
  })

  server.post<Slug>(`${base}/webhook/resume`, async (request, reply) => {
    await resumeEndpoint(system, (await appOf(request)).id)
    wake()
    return reply.status(204).send()
  })

  server.post<Slug>(`${base}/webhook/test`, async (request, reply) => {
    const { id, webhook_url: url, webhook_events: subscribed } = await appOf(request)
    if (url === null)
      throw new InvalidInputException({ webhook: ['is not there: no published version names a webhookUrl'] })
    const name = parseRequest(testBody, request.body).event ?? subscribed[0]
    const event = context.events.find((one) => one.name === name)
    if (!event)
      throw new InvalidInputException({ event: [name ? 'is no event' : 'is needed: the app subscribes to none'] })
    const delivery = await sendTestEvent(system, cipher, clock(), { appId: id, event })
    wake()
    return reply.status(202).send({ delivery: { id: delivery, state: 'pending' } })
  })

  server.post<Slug>(`${base}/credentials`, async (request, reply) => {
    const { id } = await appOf(request)
    reply.status(201).header('Cache-Control', 'no-store')
    return { credentials: await issueAppCredentials(system, cipher, id) }
  })

  server.get<Slug>(`${base}/notices`, async (request) => {
    const { rows } = await system.query(
      `select id, kind, message_en, message_ar, created_at, read_at from core.partner_notices
        where app_id = $1 order by created_at desc limit 100`,
      [(await appOf(request)).id],
    )
    return { data: rows }
  })

  server.get<Slug>(`${base}/installations`, async (request) => {
    const { rows } = await system.query(
      `select i.id, t.number as tenant_id, i.status, i.granted_scopes, i.installed_at from core.installations i
        join core.tenants t on t.id = i.tenant_id where i.app_id = $1 and i.status <> 'uninstalled' order by i.id`,
      [(await appOf(request)).id],
    )
    return { data: rows }
  })

  server.post<SlugAndId>(`${base}/installations/:id/token/show`, async (request, reply) => {
    const { id } = await appOf(request)
    const token = await showTokenOnce(system, cipher, clock(), { appId: id, installationId: request.params.id })
    reply.header('Cache-Control', 'no-store')
    return { token }
  })

  server.post<SlugAndId>(`${base}/installations/:id/token/rotate`, async (request, reply) => {
    const { id } = await appOf(request)
    const { rows } = await system.query<{ tenant_id: string }>(
      `select tenant_id from core.installations where app_id = $1 and id = $2 and status = 'active'`,
      [id, request.params.id],
    )
    if (!rows[0]) throw new NotFoundException()
    const token = await context.rotateToken({ tenantId: rows[0].tenant_id, installationId: request.params.id })
    wake()
    reply.header('Cache-Control', 'no-store')
    return { token }
  })
}

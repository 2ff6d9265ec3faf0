import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { ServiceError } from '../../partner-services/service/errors.ts'
import { ulid } from '../../partner-services/service/schemas.ts'
import { parseRequest } from '../http/parse-request.ts'
import { atMost } from '../processes/at-most.ts'
import { listDeliveries, showDelivery } from './deliveries.ts'
import { appPath, ownApp, type PartnerPortalContext, type Slug, type SlugAndId } from './portal-context.ts'
import { recoverSince, replayDeliveries } from './replay.ts'

const listFilter = z.object({
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
  per_page: z.coerce.number().int().min(1).max(100).default(20),
  state: z.enum(['pending', 'delivering', 'delivered', 'retrying', 'terminal']).optional(),
  event: z.string().max(200).optional(),
  installation_id: ulid.optional(),
})
const replayBody = z.object({ ids: z.array(z.uuid().toLowerCase()).min(1).max(1_000) })
const recoverBody = z.object({ since: z.iso.datetime() })

/** Of millions, one may take seconds: sign-ins use the same sessions. */
const listsAtOnce = 2

/** An app's deliveries: listed, shown, sent again. */
export function registerDeliveries(server: FastifyInstance, context: PartnerPortalContext): void {
  const { system, cipher, clock, wake } = context
  const base = appPath(context)
  const inTurn = atMost(listsAtOnce)

  server.get<Slug>(`${base}/deliveries`, async (request) => {
    const { id } = await ownApp(context, request)
    const { page, per_page, installation_id: installationId, state, event } = parseRequest(listFilter, request.query)
    return inTurn(() => listDeliveries(system, id, { state, event, installationId }, { page, per_page }))
  })

  server.get<SlugAndId>(`${base}/deliveries/:id`, async (request) => {
    const { id } = await ownApp(context, request)
    return { delivery: await showDelivery(system, cipher, id, deliveryOf(request)) }
  })

  server.post<Slug>(`${base}/deliveries/replay`, async (request, reply) => {
    const { id } = await ownApp(context, request)
    const replayed = await replayDeliveries(system, id, parseRequest(replayBody, request.body).ids, clock())
    wake()
    return reply.status(202).send({ replayed })
  })

  server.post<SlugAndId>(`${base}/deliveries/:id/replay`, async (request, reply) => {
    const { id } = await ownApp(context, request)
    const delivery = deliveryOf(request)
    await showDelivery(system, cipher, id, delivery)
    const [replayed] = await replayDeliveries(system, id, [delivery], clock())
    if (!replayed) throw new ServiceError('invalid_state')
    wake()
    return reply.status(202).send({ delivery: { id: replayed, state: 'pending' } })
  })

  server.post<Slug>(`${base}/deliveries/recover`, async (request, reply) => {
    const { id } = await ownApp(context, request)
    const recovered = await recoverSince(system, id, new Date(parseRequest(recoverBody, request.body).since), clock())
    wake()
    return reply.status(202).send({ recovered })
  })
}

const deliveryOf = ({ params }: FastifyRequest<SlugAndId>): string => params.id.toLowerCase()

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { NotFoundException, ServiceError } from '../../partner-services/service/errors.ts'
import { ulid } from '../../partner-services/service/schemas.ts'
import { parseRequest } from '../http/parse-request.ts'
import { inTurns } from '../processes/at-most.ts'
import { listDeliveries, showDelivery } from './deliveries.ts'
import { pauseOf } from './endpoint-health.ts'
import { appPath, ownApp, type PartnerPortalContext, type Slug, type SlugAndId } from './portal-context.ts'
import { recoverSince } from './recover.ts'
import { replayDeliveries } from './replay.ts'

const listFilter = z.object({
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
  per_page: z.coerce.number().int().min(1).max(100).default(20),
  state: z.enum(['pending', 'delivering', 'delivered', 'retrying', 'terminal']).optional(),
  event: z.string().max(200).optional(),
  installation_id: ulid.optional(),
})
const deliveryId = z.uuid().toLowerCase()
const replayBody = z.object({ ids: z.array(deliveryId).min(1).max(1_000) })
const recoverBody = z.object({ since: z.iso.datetime() })

/** Among millions, one may take seconds: sign-ins use the same sessions. */
const requestsAtOnce = 2

/** An app's deliveries: listed, shown, sent again. */
export function registerDeliveries(server: FastifyInstance, context: PartnerPortalContext): void {
  const { system, cipher, clock, wake } = context
  const base = appPath(context)
  const inTurn = inTurns(requestsAtOnce)

  server.get<Slug>(`${base}/deliveries`, async (request) => {
    const { id } = await ownApp(context, request)
    const { page, per_page, installation_id: installationId, state, event } = parseRequest(listFilter, request.query)
    const filter = { state, event, installationId }
    const listed = await inTurn(id, () => listDeliveries(system, id, filter, { page, per_page }))
    return { ...listed, ...(await pauseOf(system, id)) }
  })

  server.get<SlugAndId>(`${base}/deliveries/:id`, async (request) => {
    const { id } = await ownApp(context, request)
    const delivery = deliveryOf(request)
    return { delivery: await inTurn(id, () => showDelivery(system, cipher, id, delivery)) }
  })

  server.post<Slug>(`${base}/deliveries/replay`, async (request, reply) => {
    const { id } = await ownApp(context, request)
    const { ids } = parseRequest(replayBody, request.body)
    const replayed = await inTurn(id, () => replayDeliveries(system, id, ids, clock()))
    wake()
    return reply.status(202).send({ replayed, ...(await pauseOf(system, id)) })
  })

  server.post<SlugAndId>(`${base}/deliveries/:id/replay`, async (request, reply) => {
    const { id } = await ownApp(context, request)
    const delivery = deliveryOf(request)
    const [replayed] = await inTurn(id, async () => {
      await showDelivery(system, cipher, id, delivery)
      return replayDeliveries(system, id, [delivery], clock())
    })
    if (!replayed) throw new ServiceError('invalid_state')
    wake()
    return reply.status(202).send({ delivery: { id: replayed, state: 'pending' }, ...(await pauseOf(system, id)) })
  })

  server.post<Slug>(`${base}/deliveries/recover`, async (request, reply) => {
    const { id } = await ownApp(context, request)
    const since = new Date(parseRequest(recoverBody, request.body).since)
    const recovered = await recoverSince(system, id, { since, now: clock() }, (step) => inTurn(id, step))
    wake()
    return reply.status(202).send({ recovered, ...(await pauseOf(system, id)) })
  })
}

function deliveryOf({ params }: FastifyRequest<SlugAndId>): string {
  const { success, data } = deliveryId.safeParse(params.id)
  if (!success) throw new NotFoundException()
  return data
}

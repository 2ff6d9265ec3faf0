import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { InvalidInputException } from '../../partner-services/service/errors.ts'
import { parseRequest } from '../http/parse-request.ts'
import { endpointOf, pauseOf, resumeEndpoint } from './endpoint-health.ts'
import { appPath, ownApp, type PartnerPortalContext, type Slug } from './portal-context.ts'
import { sendTestEvent } from './test-event.ts'

const testBody = z.object({ event: z.string().max(200).optional() })

/** An app's webhook: how it fares, tried with an invented event, resumed after a pause; and what the partner was told. */
export function registerWebhook(server: FastifyInstance, context: PartnerPortalContext): void {
  const { system, cipher, clock, wake } = context
  const base = appPath(context)

  server.get<Slug>(`${base}/webhook`, async (request) => {
    const { id, webhook_url: url, webhook_events: events } = await ownApp(context, request)
    return { webhook: { url, events, ...(await endpointOf(system, id)) } }
  })

  server.post<Slug>(`${base}/webhook/resume`, async (request, reply) => {
    await resumeEndpoint(system, (await ownApp(context, request)).id)
    wake()
    return reply.status(204).send()
  })

  server.post<Slug>(`${base}/webhook/test`, async (request, reply) => {
    const { id, webhook_url: url, webhook_events: subscribed } = await ownApp(context, request)
    if (url === null)
      throw new InvalidInputException({ webhook: ['is not there: no published version names a webhookUrl'] })
    const name = parseRequest(testBody, request.body).event ?? subscribed[0]
    const event = context.events.find((one) => one.name === name)
    if (!event)
      throw new InvalidInputException({ event: [name ? 'is no event' : 'is needed: the app subscribes to none'] })
    const delivery = await sendTestEvent(system, cipher, clock(), { appId: id, event })
    wake()
    return reply.status(202).send({ delivery: { id: delivery, state: 'pending' }, ...(await pauseOf(system, id)) })
  })

  server.get<Slug>(`${base}/notices`, async (request) => {
    const { rows } = await system.query(
      `select id, kind, message_en, message_ar, created_at, read_at from core.partner_notices
        where app_id = $1 order by created_at desc limit 100`,
      [(await ownApp(context, request)).id],
    )
    return { data: rows }
  })
}

import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { createPartner, partnerOfKey, revokeKey } from '../lifecycle/partner-keys.ts'
import type { WebContext } from '../web/context.ts'
import { parseRequest } from '../http/parse-request.ts'

const newPartner = z.object({ name: z.string().trim().min(1).max(120) })
const revocation = z.object({ key: z.string() })

/** Partners are made by the operator, who hands them their key. */
export function registerPartners(server: FastifyInstance, { system, ports }: WebContext): void {
  server.post('/partners', async (request, reply) => {
    return reply.status(201).send({ partner: await createPartner(system, parseRequest(newPartner, request.body).name) })
  })
  server.post('/partners/revoke', async (request) => {
    const { key } = parseRequest(revocation, request.body)
    const partner = await partnerOfKey(system, key)
    if (partner !== null) await revokeKey(system, key, ports.clock())
    return { revoked: partner !== null }
  })
}

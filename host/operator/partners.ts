import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { ulid } from '../../partner-services/service/schemas.ts'
import { addKey, createPartner, partnerOfKey, revokeKey, revokeKeys } from '../lifecycle/partner-keys.ts'
import type { WebContext } from '../web/context.ts'
import { parseRequest } from '../http/parse-request.ts'

const newPartner = z.object({ name: z.string().trim().min(1).max(120) })
const anotherKey = z.strictObject({ partner: ulid, revoke: z.boolean().default(false) })
/** One key, or all of a partner's. */
const revocation = z.union([z.strictObject({ key: z.string() }), z.strictObject({ partner: ulid })])

/** Partners are made by the operator, who hands them their key, and another one where it leaked. */
export function registerPartners(server: FastifyInstance, { system, ports }: WebContext): void {
  server.post('/partners', async (request, reply) => {
    return reply.status(201).send({ partner: await createPartner(system, parseRequest(newPartner, request.body).name) })
  })
  server.post('/partners/keys', async (request, reply) => {
    const { partner, revoke } = parseRequest(anotherKey, request.body)
    return reply.status(201).send({ partner: await addKey(system, partner, { revoke, now: ports.clock() }) })
  })
  server.post('/partners/revoke', async (request) => {
    const which = parseRequest(revocation, request.body)
    if ('partner' in which) return { revoked: (await revokeKeys(system, which.partner, ports.clock())) > 0 }
    const { key } = which
    const partner = await partnerOfKey(system, key)
    if (partner !== null) await revokeKey(system, key, ports.clock())
    return { revoked: partner !== null }
  })
}

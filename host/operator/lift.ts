import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { ServiceError } from '../../partner-services/service/errors.ts'
import { ulid } from '../../partner-services/service/schemas.ts'
import { liftStrikes } from '../embedded-apps/strikes.ts'
import { untilConfirmed } from '../security/token-epoch.ts'
import type { WebContext } from '../web/context.ts'
import { parseRequest } from '../http/parse-request.ts'

const lifting = z.object({ slug: z.string(), tenant: ulid.optional() })

/** Ends the stop of an app that cost its runners. When it answers, every web process runs the app again. */
export function registerLift(server: FastifyInstance, { system }: WebContext): void {
  server.post('/lift', async (request) => {
    const { slug, tenant } = parseRequest(lifting, request.body)
    const { rowCount } = await system.query(
      'select from core.apps where slug = $1 and ($2::text is null or exists (select from core.tenants where id = $2))',
      [slug, tenant ?? null],
    )
    if (!rowCount) throw new ServiceError('not_found')
    const lifted = await liftStrikes(system, { slug, tenantId: tenant ?? null })
    await untilConfirmed(system)
    return lifted
  })
}

import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { ServiceError } from '../../partner-services/service/errors.ts'
import type { WebContext } from '../web/context.ts'
import { parseRequest } from '../http/parse-request.ts'

const query = z.object({
  app: z.string(),
  after: z.iso.datetime().optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(200),
})

/** A module's log by invocation, oldest first. */
export function registerLogs(server: FastifyInstance, { system, moduleLog }: WebContext): void {
  const requireApp = async (slug: string) => {
    const { rowCount } = await system.query('select from core.apps where slug = $1', [slug])
    if (!rowCount) throw new ServiceError('not_found')
  }
  server.get('/logs', async (request) => {
    const { app, after, limit } = parseRequest(query, request.query)
    await moduleLog.flush()
    const { rows } = await system.query(
      `select * from (select at, tenant_id, invocation_id, position, level, message from core.module_log
        where app = $1 and ($2::timestamptz is null or at > $2) order by at desc, invocation_id desc, position desc limit $3) newest
        order by at, invocation_id, position`,
      [app, after ?? null, limit],
    )
    if (rows.length === 0) await requireApp(app)
    return { lines: rows }
  })
}

import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { ServiceError } from '../../partner-services/service/errors.ts'
import type { WebContext } from '../web/context.ts'
import { parseRequest } from '../http/parse-request.ts'

const query = z.object({
  app: z.string(),
  limit: z.coerce.number().int().min(1).max(1_000).default(200),
  /** Lines from here on, or behind the line that `invocation` and `position` name; without it the newest. */
  after: z.iso.datetime().optional(),
  invocation: z.string().default(''),
  position: z.coerce.number().int().min(-1).max(2_147_483_647).default(-1),
})

type Asked = z.output<typeof query>

const columns = 'at, tenant_id, invocation_id, position, level, message'
const order = (direction: 'asc' | 'desc') =>
  `order by at ${direction}, invocation_id ${direction}, position ${direction}`

/** A module's log by invocation, oldest first; `more` where a page did not hold all of it. */
export function registerLogs(server: FastifyInstance, { system, moduleLog }: WebContext): void {
  const requireApp = async (slug: string) => {
    const { rowCount } = await system.query('select from core.apps where slug = $1', [slug])
    if (!rowCount) throw new ServiceError('not_found')
  }
  server.get('/logs', async (request) => {
    const asked = parseRequest(query, request.query)
    await moduleLog.flush()
    const lines = asked.after ? await following(asked, asked.after) : await newest(asked)
    if (lines.length === 0) await requireApp(asked.app)
    const more = lines.length > asked.limit
    return { lines: asked.after ? lines.slice(0, asked.limit) : lines.slice(-asked.limit), more }
  })

  // One more than asked for: whether there are others.
  async function newest({ app, limit }: Asked): Promise<unknown[]> {
    const text = `select * from (select ${columns} from core.module_log where app = $1 ${order('desc')} limit $2) newest
      ${order('asc')}`
    return (await system.query(text, [app, limit + 1])).rows
  }

  async function following({ app, invocation, position, limit }: Asked, after: string): Promise<unknown[]> {
    const text = `select ${columns} from core.module_log
      where app = $1 and (at, invocation_id, position) > ($2, $3, $4) ${order('asc')} limit $5`
    return (await system.query(text, [app, after, invocation, position, limit + 1])).rows
  }
}

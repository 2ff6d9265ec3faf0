import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import type { IsolateClient } from '../isolates/client/client.ts'
import { inTime } from '../processes/in-time.ts'

const patience = 2_000

/** `/healthz`: the process lives. `/readyz`: the database answers and runners are there. */
export function registerHealth(
  server: FastifyInstance,
  { system, client }: { system: pg.Pool; client: IsolateClient },
): void {
  server.get('/healthz', async () => ({ status: 'ok' }))
  server.get('/readyz', async (_request, reply) => {
    const database = await answersInTime(system)
    const runners = client.stats().runners > 0
    return reply.status(database && runners ? 200 : 503).send({ database, runners })
  })
}

function answersInTime(pool: pg.Pool): Promise<boolean> {
  const answer = pool.query('select').then(
    () => true,
    () => false,
  )
  return inTime(answer, patience, false)
}

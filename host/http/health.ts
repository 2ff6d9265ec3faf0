import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import type { IsolateClient } from '../isolates/client/client.ts'

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

async function answersInTime(pool: pg.Pool): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), patience)
  })
  const answer = pool.query('select').then(
    () => true,
    () => false,
  )
  return Promise.race([answer, late]).finally(() => clearTimeout(timer))
}

import type { FastifyInstance } from 'fastify'

/** Whatever these doors answer is for who asked and for this moment: no cache on the way, and no browser, keeps it. */
export function keepOutOfCaches(server: FastifyInstance): void {
  server.addHook('onRequest', async (_request, reply) => void reply.header('Cache-Control', 'no-store'))
}

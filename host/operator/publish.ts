import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { WebContext } from '../web/context.ts'
import { ReportedError } from '../processes/rpc.ts'
import { parseRequest } from './parse.ts'

const publication = z.object({
  files: z.record(z.string(), z.base64()),
  approve: z.boolean().default(false),
  submit: z.boolean().default(false),
})

/** Publishing a module's source. A refusal answers 422 with what was found. */
export function registerPublish(server: FastifyInstance, { publisher, modules, embedded }: WebContext): void {
  server.post('/publish', async (request, reply) => {
    const argument = { ...parseRequest(publication, request.body), actor: { kind: 'operator' } }
    if (argument.approve && !embedded)
      return reply.status(422).send({ message: '--approve works with the embedded database only' })
    try {
      const result = await publisher.call('publisher', { method: 'publish', argument })
      modules.forget()
      return result
    } catch (error) {
      if (!(error instanceof ReportedError)) throw error
      return reply.status(422).send({ message: error.message, report: error.report })
    }
  })
}

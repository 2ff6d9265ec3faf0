import type { FastifyInstance, FastifyReply } from 'fastify'
import { z } from 'zod'
import { ReportedError } from '../processes/rpc.ts'
import { untilConfirmed } from '../security/token-epoch.ts'
import type { WebContext } from '../web/context.ts'
import { parseRequest } from './parse.ts'

const source = z.record(z.string(), z.base64())
const publication = z.object({
  files: source,
  approve: z.boolean().default(false),
  submit: z.boolean().default(false),
})
const trial = z.object({ files: source })
const actor = { kind: 'operator' } as const

/** Publishing a module's source. A refusal answers 422 with what was found. */
export function registerPublish(server: FastifyInstance, { publisher, system, embedded }: WebContext): void {
  async function ask(reply: FastifyReply, method: string, argument: object): Promise<unknown> {
    try {
      const published = await publisher.call('publisher', { method, argument: { ...argument, actor } })
      await untilConfirmed(system)
      return published
    } catch (error) {
      if (!(error instanceof ReportedError)) throw error
      return reply.status(422).send({ message: error.message, report: error.report })
    }
  }

  server.post('/publish', async (request, reply) => {
    const argument = parseRequest(publication, request.body)
    if (argument.approve && !embedded)
      return reply.status(422).send({ message: '--approve works with the embedded database only' })
    return ask(reply, 'publish', argument)
  })

  /** At each save of `partner dev`: the sandbox school runs it, and no other. */
  server.post('/dev', async (request, reply) => ask(reply, 'tryInSandbox', parseRequest(trial, request.body)))
}

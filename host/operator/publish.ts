import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { InvalidInputException } from '../../partner-services/service/errors.ts'
import { askPublisher } from '../http/ask-publisher.ts'
import { parseRequest } from '../http/parse-request.ts'
import { uploadedFiles } from '../http/uploaded-files.ts'
import type { WebContext } from '../web/context.ts'

const publication = z.object({
  files: uploadedFiles,
  approve: z.boolean().default(false),
  submit: z.boolean().default(false),
})
const trial = z.object({ files: uploadedFiles })
const actor = { kind: 'operator' } as const

/** Publishing a module's source. A refusal answers 422 with what was found. */
export function registerPublish(server: FastifyInstance, context: WebContext): void {
  server.post('/publish', async (request) => {
    const argument = parseRequest(publication, request.body)
    if (argument.approve && !context.embedded)
      throw new InvalidInputException({ approve: ['works with the embedded database only'] })
    return askPublisher(context, 'publish', { ...argument, actor })
  })

  /** At each save of `partner dev`: the sandbox school runs it, and no other. */
  server.post('/dev', async (request) =>
    askPublisher(context, 'tryInSandbox', { ...parseRequest(trial, request.body), actor }),
  )
}

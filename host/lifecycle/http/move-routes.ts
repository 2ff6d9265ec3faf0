import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { parseRequest } from '../../http/parse-request.ts'
import { askPublisher } from '../../http/ask-publisher.ts'
import { requireOwner } from '../actor.ts'
import { addComment, moveVersion } from '../moves.ts'
import { findVersion } from '../records.ts'
import { type Move, requireMove } from '../states.ts'
import { appOf, type LifecycleContext, type Slug, type SlugAndVersion } from './context.ts'

const comment = z.string().trim().min(1).max(10_000)
const commented = z.strictObject({ comment: comment.optional() })
const rejection = z.strictObject({ comment })
const takenBack = z.strictObject({ version: z.string().optional() })

/** The moves of a version, and what is said about it. Who may make which is one table: `states.ts`. */
export function registerMoveRoutes(server: FastifyInstance, context: LifecycleContext): void {
  const { system, clock } = context
  const simple = (path: string, move: Move, body: typeof commented | typeof rejection = commented) =>
    server.post<SlugAndVersion>(`/apps/:slug/versions/:version/${path}`, async (request) => {
      const { actor, app } = await appOf(context, request)
      const { version } = request.params
      const known = await findVersion(system, app, version)
      requireMove(actor, move, { partnerId: app.partnerId, state: known.state })
      const { comment: text } = parseRequest(body, request.body)
      const said = text === undefined ? {} : { comment: text }
      const { state } = await moveVersion(system, { actor, app, version, move, now: clock(), ...said })
      return { version: { version, state } }
    })
  simple('submit', 'submit')
  simple('approve', 'approve')
  simple('reject', 'reject', rejection)
  simple('reopen', 'reopen')

  for (const [path, method] of [
    ['start-review', 'startReview'],
    ['publish', 'publishVersion'],
  ] as const) {
    server.post<SlugAndVersion>(`/apps/:slug/versions/:version/${path}`, async (request) => {
      const { actor, app } = await appOf(context, request)
      const { version } = await findVersion(system, app, request.params.version)
      return { version: await askPublisher(context, method, { actor, slug: app.slug, version }) }
    })
  }

  server.post<SlugAndVersion>('/apps/:slug/versions/:version/comments', async (request, reply) => {
    const { actor, app } = await appOf(context, request)
    const { comment: body } = parseRequest(rejection, request.body)
    const version = await findVersion(system, app, request.params.version)
    return reply.status(201).send({ comment: await addComment(system, version, { actor, body, now: clock() }) })
  })

  server.post<Slug>('/apps/:slug/rollback', async (request) => {
    const { actor, app } = await appOf(context, request)
    if (actor.kind === 'partner') requireOwner(actor, app)
    const { version } = parseRequest(takenBack, request.body)
    return askPublisher(context, 'rollBack', { actor, slug: app.slug, version })
  })
}

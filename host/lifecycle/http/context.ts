import type { FastifyReply, FastifyRequest } from 'fastify'
import type pg from 'pg'
import type { Rpc } from '../../processes/rpc.ts'
import { ReportedError } from '../../processes/rpc.ts'
import { untilConfirmed } from '../../security/token-epoch.ts'
import type { Actor } from '../actor.ts'
import { type AppRecord, findApp } from '../records.ts'

/** What the routes of partners and reviewers work with. */
export type LifecycleContext = {
  system: pg.Pool
  publisher: Rpc
  clock: () => Date
  actorOf: (request: FastifyRequest) => Promise<Actor>
}

export type Slug = { Params: { slug: string } }
export type SlugAndVersion = { Params: { slug: string; version: string } }

/** The actor and the app of a request; another partner's app looks like none. */
export async function appOf(
  context: LifecycleContext,
  request: FastifyRequest<{ Params: { slug: string } }>,
): Promise<{ actor: Actor; app: AppRecord }> {
  const actor = await context.actorOf(request)
  return { actor, app: await findApp(context.system, actor, request.params.slug) }
}

/** Asks the publisher; when it resolves, every web process knows what was changed. What is refused with findings answers 422 with them. */
export async function askPublisher<Result>(
  { publisher, system }: LifecycleContext,
  reply: FastifyReply,
  method: string,
  argument: unknown,
): Promise<Result | FastifyReply> {
  try {
    const result = await publisher.call<Result>('publisher', { method, argument })
    await untilConfirmed(system)
    return result
  } catch (error) {
    if (!(error instanceof ReportedError)) throw error
    return reply.status(422).send({ message: error.message, error: 'invalid_data', report: error.report })
  }
}

import type { FastifyRequest } from 'fastify'
import type pg from 'pg'
import type { Rpc } from '../../processes/rpc.ts'
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

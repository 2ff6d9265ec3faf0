import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { parseFields } from '../../http/parse-request.ts'
import { askPublisher } from '../../http/ask-publisher.ts'
import { requireOwner } from '../actor.ts'
import { deleteSqlDraft, listSqlDrafts } from '../sql-drafts.ts'
import { appOf, type LifecycleContext, type Slug } from './context.ts'

type Draft = { Params: { slug: string; version: string } }
const newDraft = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9_]{0,79}$/),
  sql: z
    .string()
    .trim()
    .min(1)
    .max(200_000)
    .refine((text) => text.isWellFormed(), 'is no well-formed Unicode'),
})

/** What is applied to an app's tables, and SQL that is written in the portal: a migration of the next release. */
export function registerMigrationRoutes(server: FastifyInstance, context: LifecycleContext): void {
  server.get<Slug>('/apps/:slug/migrations', async (request) => {
    const { app } = await appOf(context, request)
    return { migrations: await askPublisher(context, 'migrationStatus', { slug: app.slug }) }
  })

  server.get<Slug>('/apps/:slug/sql-drafts', async (request) => {
    const { app } = await appOf(context, request)
    return { data: await listSqlDrafts(context.system, app) }
  })

  server.post<Slug>('/apps/:slug/sql-drafts', async (request, reply) => {
    const { actor, app } = await appOf(context, request)
    requireOwner(actor, app)
    const given = parseFields(newDraft, request.body)
    const saved = await askPublisher(context, 'saveSqlDraft', { actor, slug: app.slug, ...given })
    return reply.status(201).send({ sql_draft: saved })
  })

  server.delete<Draft>('/apps/:slug/sql-drafts/:version', async (request, reply) => {
    const { actor, app } = await appOf(context, request)
    requireOwner(actor, app)
    await deleteSqlDraft(context.system, app, request.params.version)
    return reply.status(204).send()
  })
}

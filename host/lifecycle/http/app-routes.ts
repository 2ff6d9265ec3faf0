import type { FastifyInstance } from 'fastify'
import { ulid } from 'ulid'
import { z } from 'zod'
import { InvalidInputException, ServiceError } from '../../../partner-services/service/errors.ts'
import { slug as slugForm } from '../../../policy/manifest/fields.ts'
import { featuresOf } from '../../../policy/catalog.ts'
import { scopeCatalog } from '../../../partner-services/scopes/catalog.ts'
import { parseRequest } from '../../http/parse-request.ts'
import { requireOwner } from '../actor.ts'
import { inheritedFields } from '../effective-manifest.ts'
import { wasDecided } from '../moves.ts'
import { findApp, hasInstallations, listApps, listVersions } from '../records.ts'
import { inTransaction } from '../../database/in-transaction.ts'
import { appOf, type LifecycleContext, type Slug } from './context.ts'
import { appView, versionLine } from './views.ts'

const declarations = z.partialRecord(z.enum(inheritedFields), z.unknown())
const newApp = z.strictObject({
  slug: slugForm,
  display_name: z.string().trim().min(1).max(120),
  integration_type: z.enum(['embedded', 'external', 'notification', 'payment']),
  declarations: declarations.default({}),
})
const changedApp = z.strictObject({
  display_name: z.string().trim().min(1).max(120).optional(),
  declarations: declarations.optional(),
})

/** Apps: made by partners, their integration type chosen once. */
export function registerAppRoutes(server: FastifyInstance, context: LifecycleContext): void {
  const { system } = context

  server.get('/apps', async (request) => ({
    data: (await listApps(system, await context.actorOf(request))).map(appView),
  }))

  server.post('/apps', async (request, reply) => {
    const actor = await context.actorOf(request)
    const given = parseRequest(newApp, request.body)
    if (featuresOf(scopeCatalog).has(given.slug)) throw new InvalidInputException({ slug: ['is reserved'] })
    const { rowCount } = await system.query(
      `insert into core.apps (id, slug, integration_type, display_name, partner_id, declarations) values ($1, $2, $3, $4, $5, $6)
        on conflict (slug) do nothing`,
      [
        ulid(),
        given.slug,
        given.integration_type,
        given.display_name,
        actor.kind === 'partner' ? actor.partnerId : null,
        JSON.stringify(given.declarations),
      ],
    )
    if (rowCount !== 1) throw new InvalidInputException({ slug: ['is taken'] })
    return reply.status(201).send({ app: appView(await findApp(system, actor, given.slug)) })
  })

  server.get<Slug>('/apps/:slug', async (request) => {
    const { app } = await appOf(context, request)
    return { app: { ...appView(app), versions: (await listVersions(system, app)).map(versionLine) } }
  })

  server.patch<Slug>('/apps/:slug', async (request) => {
    const { actor, app } = await appOf(context, request)
    requireOwner(actor, app)
    if (Object.hasOwn((request.body ?? {}) as object, 'integration_type'))
      throw new InvalidInputException({ integration_type: ['cannot be changed: create a new app'] })
    const given = parseRequest(changedApp, request.body)
    await system.query(
      'update core.apps set display_name = coalesce($2, display_name), declarations = coalesce($3, declarations) where id = $1',
      [app.id, given.display_name ?? null, given.declarations ? JSON.stringify(given.declarations) : null],
    )
    return { app: appView(await findApp(system, actor, app.slug)) }
  })

  /** An app that was never published, nor rejected, can go; one that schools have is stopped by name. */
  server.delete<Slug>('/apps/:slug', async (request, reply) => {
    const { actor, app } = await appOf(context, request)
    requireOwner(actor, app)
    await inTransaction(system, async (db) => {
      if (await hasInstallations(db, app)) throw new ServiceError('delete_blocked_by_installs')
      const { rowCount } = await db.query(
        `select from core.app_versions where app_id = $1 and state <> 'draft' limit 1`,
        [app.id],
      )
      if (rowCount || (await wasDecided(db, { appId: app.id }))) throw new ServiceError('invalid_state')
      for (const table of ['sql_drafts', 'app_versions'])
        await db.query(`delete from core.${table} where app_id = $1`, [app.id])
      await db.query('delete from core.apps where id = $1', [app.id])
    })
    return reply.status(204).send()
  })
}

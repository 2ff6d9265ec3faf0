import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { parseRequest } from '../../http/parse-request.ts'
import { requireOwner } from '../actor.ts'
import { deleteEntry, readCatalog, setActive } from '../notification-catalog.ts'
import { findVersion } from '../records.ts'
import { inTransaction } from '../../database/in-transaction.ts'
import { appOf, type LifecycleContext, type SlugAndVersion } from './context.ts'

type Entry = { Params: { slug: string; version: string; key: string } }
const change = z.strictObject({ is_active: z.boolean() })

/** The notification catalog of a version: edited while it is a draft, frozen at publish. */
export function registerCatalogRoutes(server: FastifyInstance, context: LifecycleContext): void {
  const path = '/apps/:slug/versions/:version/notifications'

  server.get<SlugAndVersion>(path, async (request) => {
    const { app } = await appOf(context, request)
    return { data: await readCatalog(context.system, await findVersion(context.system, app, request.params.version)) }
  })

  server.patch<Entry>(`${path}/:key`, async (request) => {
    const { actor, app } = await appOf(context, request)
    requireOwner(actor, app)
    const { is_active: active } = parseRequest(change, request.body)
    await inTransaction(context.system, async (db) => {
      const version = await findVersion(db, app, request.params.version, { lock: true })
      await setActive(db, version, request.params.key, active)
    })
    return { notification: { key: request.params.key, is_active: active } }
  })

  server.delete<Entry>(`${path}/:key`, async (request, reply) => {
    const { actor, app } = await appOf(context, request)
    requireOwner(actor, app)
    await inTransaction(context.system, async (db) => {
      const version = await findVersion(db, app, request.params.version, { lock: true })
      await deleteEntry(db, app, version, request.params.key)
    })
    return reply.status(204).send()
  })
}

import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { InvalidInputException, ServiceError } from '../../../partner-services/service/errors.ts'
import { askPublisher } from '../../http/ask-publisher.ts'
import { parseRequest } from '../../http/parse-request.ts'
import { sourceBodyLimit as bodyLimit } from '../../http/server-limits.ts'
import { uploadedFiles } from '../../http/uploaded-files.ts'
import { parseManifest } from '../../publishing/source/read-manifest.ts'
import { requireOwner } from '../actor.ts'
import { listComments, wasDecided } from '../moves.ts'
import { readCatalog } from '../notification-catalog.ts'
import { findVersion, hasInstallations, listVersions } from '../records.ts'
import { requireEditable } from '../states.ts'
import { inTransaction } from '../../database/in-transaction.ts'
import { appOf, type LifecycleContext, type Slug, type SlugAndVersion } from './context.ts'
import { versionLine, versionView } from './views.ts'

/** The whole source, or the manifest alone for an app that is hosted elsewhere. */
const source = z.union([
  z.strictObject({ files: uploadedFiles }),
  z.strictObject({ manifest: z.record(z.string(), z.unknown()) }),
])

/** What `partner publish` sends: the app is made by its first version. */
const publication = z.strictObject({ files: uploadedFiles, submit: z.boolean().default(true) })

type Source = Record<string, string>

/** Versions: drafts are made from a source, edited by another one, and deleted. */
export function registerVersionRoutes(server: FastifyInstance, context: LifecycleContext): void {
  const { system } = context

  server.post('/publish', { bodyLimit }, async (request) => {
    const actor = await context.actorOf(request)
    const { files, submit } = parseRequest(publication, request.body)
    return askPublisher(context, 'publish', { actor, files, submit, approve: false })
  })

  server.get<Slug>('/apps/:slug/versions', async (request) => {
    const { app } = await appOf(context, request)
    return { data: (await listVersions(system, app)).map(versionLine) }
  })

  server.get<SlugAndVersion>('/apps/:slug/versions/:version', async (request) => {
    const { app } = await appOf(context, request)
    const version = await findVersion(system, app, request.params.version)
    const [comments, notifications] = await Promise.all([listComments(system, version), readCatalog(system, version)])
    return { version: versionView(version, { comments, notifications }) }
  })

  server.post<Slug>('/apps/:slug/versions', { bodyLimit }, async (request, reply) => {
    const { actor, app } = await appOf(context, request)
    requireOwner(actor, app)
    const files = filesOf(parseRequest(source, request.body), app.slug)
    const made = await askPublisher(context, 'publish', { actor, files, approve: false })
    return reply.status(201).send({ version: made })
  })

  server.put<SlugAndVersion>('/apps/:slug/versions/:version', { bodyLimit }, async (request) => {
    const { actor, app } = await appOf(context, request)
    requireOwner(actor, app)
    const version = await findVersion(system, app, request.params.version)
    requireEditable(version.state)
    const files = filesOf(parseRequest(source, request.body), app.slug)
    if (parseManifest(files).version !== version.version)
      throw new InvalidInputException({ version: [`the manifest must say ${version.version}`] })
    return { version: await askPublisher(context, 'publish', { actor, files, approve: false }) }
  })

  server.delete<SlugAndVersion>('/apps/:slug/versions/:version', async (request, reply) => {
    const { actor, app } = await appOf(context, request)
    requireOwner(actor, app)
    await inTransaction(system, async (db) => {
      const version = await findVersion(db, app, request.params.version, { lock: true })
      requireEditable(version.state)
      if (await wasDecided(db, { versionId: version.id })) throw new ServiceError('invalid_state')
      if (await hasInstallations(db, app, version)) throw new ServiceError('delete_blocked_by_installs')
      await db.query('delete from core.app_versions where id = $1', [version.id])
    })
    return reply.status(204).send()
  })
}

/** Of this app alone: what a manifest names may be another of the partner's. */
function filesOf(given: z.output<typeof source>, slug: string): Source {
  const { moduleId } = 'files' in given ? parseManifest(given.files) : given.manifest
  if (moduleId !== slug) throw new InvalidInputException({ 'manifest.moduleId': [`must be ${slug}`] })
  if ('files' in given) return given.files
  return { 'manifest.json': Buffer.from(JSON.stringify(given.manifest, null, 2)).toString('base64') }
}

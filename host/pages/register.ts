import { readFileSync } from 'node:fs'
import cookie from '@fastify/cookie'
import formbody from '@fastify/formbody'
import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../../partner-services/service/errors.ts'
import { localeOf } from '../http/locale.ts'
import { createCurrentSession } from '../sessions/current-session.ts'
import { createSessionStore } from '../sessions/session-store.ts'
import { registerSignIn } from '../sessions/sign-in.ts'
import { readAudience } from './audience.ts'
import type { PagesContext, PagesOptions } from './context.ts'
import { errorPage } from './error-page.ts'
import { sendPage } from './headers.ts'
import { launcherPage } from './launcher-page.ts'
import { personOf, registerModulePages } from './module-pages.ts'
import { createSanitiser } from './sanitise/sanitiser.ts'

/** Sign-in, the launcher and the pages of modules: everything a browser of the school sees. */
export async function registerPages(server: FastifyInstance, options: PagesOptions): Promise<void> {
  const { system, database, keys, clock } = options
  const store = createSessionStore(system, clock)
  const sanitiser = createSanitiser()
  const context: PagesContext = { ...options, sanitiser, sessions: createCurrentSession({ store, system, database }) }
  server.addHook('onClose', () => sanitiser.close())
  await server.register(async (pages) => {
    await pages.register(cookie)
    await pages.register(formbody)
    showRefusals(pages)
    registerSignIn(pages, { system, store, formsKey: keys.forms, clock })
    registerLauncher(pages, context)
    registerModulePages(pages, context)
    registerStylesheet(pages)
  })
}

/** A person whom a form or an address leads to a refusal sees a page; a program gets the JSON of every other door. */
function showRefusals(server: FastifyInstance): void {
  server.setErrorHandler((error, request, reply) => {
    if (!(error instanceof ServiceError) || !request.headers.accept?.includes('text/html')) throw error
    const locale = localeOf(request.headers['accept-language'])
    return sendPage(reply.status(error.status), errorPage({ locale, status: error.status }))
  })
}

function registerLauncher(server: FastifyInstance, { sessions, modules }: PagesContext): void {
  server.get('/', async (request, reply) => {
    const session = await sessions.of(request)
    if (!session) return reply.redirect('/sign-in', 303)
    const viewer = await sessions.viewer(session)
    const installed = await modules.list(session.tenant.id)
    const apps = installed.filter(({ manifest, contributions }) => readAudience(manifest, contributions).shows(viewer))
    return sendPage(
      reply,
      launcherPage({ locale: localeOf(request.headers['accept-language']), apps, person: personOf(session) }),
    )
  })
}

function registerStylesheet(server: FastifyInstance): void {
  const stylesheet = readFileSync(new URL('./host.css', import.meta.url), 'utf8')
  server.get('/assets/host.css', async (_request, reply) =>
    reply
      .headers({ 'Cache-Control': 'public, max-age=3600', 'X-Content-Type-Options': 'nosniff' })
      .type('text/css; charset=utf-8')
      .send(stylesheet),
  )
}

import cookie from '@fastify/cookie'
import formbody from '@fastify/formbody'
import type { FastifyInstance } from 'fastify'
import { serviceErrorOf } from '../http/error-replies.ts'
import { localeOf } from '../http/locale.ts'
import { createCookies } from '../sessions/cookies.ts'
import { createCurrentSession, type CurrentSession, viewerOf } from '../sessions/current-session.ts'
import { createSessionStore } from '../sessions/session-store.ts'
import { registerSignIn } from '../sessions/sign-in.ts'
import { createAudiences } from './audience.ts'
import type { PagesContext, PagesOptions } from './context.ts'
import { sendPage } from './headers.ts'
import { launcherPage } from './launcher-page.ts'
import { registerModulePages } from './module-pages.ts'
import { personOf } from './person.ts'
import { refusedPerson, sendRefusal, showsPages } from './refusal-page.ts'
import { readStylesheet } from './stylesheet.ts'

/** Sign-in, the launcher and the pages of modules: everything a browser of the school sees. */
export async function registerPages(server: FastifyInstance, options: PagesOptions): Promise<void> {
  const { settings, system, keys, clock, epoch } = options
  const store = createSessionStore(system, clock)
  const cookies = createCookies(settings.PUBLIC_URL)
  const sessions = createCurrentSession({ store, cookies, epoch, clock })
  const context: PagesContext = { ...options, sessions, audienceOf: createAudiences() }
  await server.register(async (pages) => {
    await pages.register(cookie)
    await pages.register(formbody)
    showRefusals(pages, sessions)
    registerSignIn(pages, { system, store, cookies, formsKey: keys.forms, clock })
    registerLauncher(pages, context)
    registerModulePages(pages, context)
    registerStylesheet(pages)
  })
}

/** Whatever goes wrong, a person sees a page; a program gets the JSON of every other door. */
function showRefusals(server: FastifyInstance, sessions: CurrentSession): void {
  server.setErrorHandler(async (error, request, reply) => {
    if (!showsPages(request)) throw error
    const refusal = serviceErrorOf(error, request)
    return sendRefusal(request, reply, refusal, await refusedPerson(sessions, request, refusal))
  })
}

function registerLauncher(server: FastifyInstance, { sessions, modules, audienceOf }: PagesContext): void {
  server.get('/', async (request, reply) => {
    const session = await sessions.of(request)
    if (!session) return reply.redirect('/sign-in', 303)
    const viewer = viewerOf(session)
    const installed = await modules.list(session.tenant.id)
    const apps = installed.flatMap((app) => {
      const entry = audienceOf(app).entry(viewer)
      return entry === null ? [] : [{ ...app, entry }]
    })
    return sendPage(
      reply,
      launcherPage({ locale: localeOf(request.headers['accept-language']), apps, person: personOf(session) }),
    )
  })
}

function registerStylesheet(server: FastifyInstance): void {
  const stylesheet = readStylesheet()
  server.get('/assets/host.css', async (_request, reply) =>
    reply
      .headers({ 'Cache-Control': 'public, max-age=3600', 'X-Content-Type-Options': 'nosniff' })
      .type('text/css; charset=utf-8')
      .send(stylesheet),
  )
}

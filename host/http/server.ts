import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest, LogController } from 'fastify'
import { ulid } from 'ulid'
import { operations } from '../../partner-services/registry.ts'
import { checkRegistry } from '../../partner-services/service/registry-check.ts'
import { ServiceError } from '../../partner-services/service/errors.ts'
import { registerInstallationDoors } from '../installations/doors.ts'
import { createActorOf } from '../lifecycle/http/authenticate.ts'
import { registerLifecycle } from '../lifecycle/http/register.ts'
import { isOperator } from '../operator/credential.ts'
import { registerOperator } from '../operator/routes.ts'
import { registerPages } from '../pages/register.ts'
import { createSanitiser } from '../pages/sanitise/sanitiser.ts'
import type { WebContext } from '../web/context.ts'
import { registerContacts } from './contacts.ts'
import { registerDocs } from './docs.ts'
import { installErrorReplies, replyWithError, serviceErrorOf } from './error-replies.ts'
import { registerHealth } from './health.ts'
import { installJsonBody } from './json-body.ts'
import { refuseUnrouted, registerRuntimeApi, type RuntimeApi } from './runtime-api.ts'
import { catalogPath, registerScopeCatalog } from './scope-catalog.ts'
import { bodyLimit, endIdleConnections, ignoreExpectations, refuseBrokenRequest, timeouts } from './server-limits.ts'
import { requestLog } from './request-log.ts'
import { refuseSlowBodies } from './slow-bodies.ts'
import { installUnknownRoutes } from './unknown-routes.ts'

/** Ids to quote to support: one random beginning for each process, then a number. */
function requestIds(): () => string {
  const beginning = ulid()
  let number = 0
  return () => `${beginning}-${(++number).toString(36)}`
}

/** A path with NUL: PostgreSQL has it in no text, so nothing is called that. */
const namesNothing = (url: string): boolean => url.includes('%00') && url.split('?', 1)[0]!.includes('%00')

/** The HTTP server of one web process, with every door mounted and nothing listening. */
export async function createServer(context: WebContext): Promise<FastifyInstance> {
  checkRegistry(operations)
  const { settings, ports, tokens, logger, appendContact } = context
  const actorOf = createActorOf(context.system, context.operatorTokenHash)
  const runtime = { operations, ports, tokens }
  const apis: RuntimeApi[] = [
    { ...runtime, basePath: settings.BASE_PATH, testTokensOnly: false },
    { ...runtime, basePath: settings.SANDBOX_BASE_PATH, testTokensOnly: true },
  ]
  const server: FastifyInstance = Fastify({
    loggerInstance: logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: requestLog,
    genReqId: requestIds(),
    bodyLimit,
    ...timeouts,
    clientErrorHandler: refuseBrokenRequest,
    frameworkErrors: (error, request, reply) => {
      reply.header('X-Request-Id', request.id)
      const api = apis.find(({ basePath }) => request.url.startsWith(`${basePath}/`))
      if (api) return void refuseUnrouted(api, request, reply, error)
      replyWithError(request, reply, serviceErrorOf(error, request))
    },
    // What is still asked on a busy connection is served: Fastify's own refusal is none of the catalogue, and has no id.
    return503OnClosing: false,
    trustProxy: settings.TRUSTED_PROXIES.length > 0 ? settings.TRUSTED_PROXIES : false,
    // A name in a path may be as long as a URL: however long, its route's own door answers.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: timeouts.http.maxHeaderSize },
  })
  ignoreExpectations(server.server)
  refuseSlowBodies(server.server)
  server.decorateRequest('caller', null)
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('X-Request-Id', request.id)
    done()
  })
  // After each door has asked who it is, and before it reads a body.
  server.addHook('preParsing', (request, _reply, _body, done) => {
    done(namesNothing(request.url) ? new ServiceError('not_found') : null)
  })
  server.addHook('preClose', async () => endIdleConnections(server.server))
  installErrorReplies(server)
  const { PARTNERS_PATH, CONTACTS_PATH, DOCS_PATH } = settings
  const closed = [
    { prefix: '/operator', admits: async (request: FastifyRequest) => isOperator(request, context.operatorTokenHash) },
    {
      prefix: `${PARTNERS_PATH}/api`,
      open: [catalogPath(PARTNERS_PATH)],
      admits: (request: FastifyRequest) =>
        actorOf(request).then(
          () => true,
          () => false,
        ),
    },
  ]
  installUnknownRoutes(server, closed, ['/operator', PARTNERS_PATH, CONTACTS_PATH, DOCS_PATH, '/oauth/token'])
  installJsonBody(server)
  for (const api of apis) await registerRuntimeApi(server, api)
  registerHealth(server, context)
  const sanitiser = createSanitiser()
  server.addHook('onClose', () => sanitiser.close())
  await registerPages(server, { ...context, clock: ports.clock, sanitiser })
  await registerInstallationDoors(server, context, actorOf)
  await server.register(async (operator) => registerOperator(operator, context, sanitiser), { prefix: '/operator' })
  registerScopeCatalog(server, settings.PARTNERS_PATH)
  await registerLifecycle(server, settings.PARTNERS_PATH, {
    system: context.system,
    publisher: context.publisher,
    clock: ports.clock,
    actorOf,
  })
  registerContacts(server, { contactsPath: settings.CONTACTS_PATH, append: appendContact })
  registerDocs(server, settings)
  return server
}

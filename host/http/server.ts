import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import type pg from 'pg'
import type { Logger } from 'pino'
import { ulid } from 'ulid'
import { operations } from '../../partner-services/registry.ts'
import type { Ports } from '../../partner-services/service/ports.ts'
import { checkRegistry } from '../../partner-services/service/registry-check.ts'
import type { Settings } from '../config.ts'
import type { CoreDatabase } from '../database/core-database.ts'
import type { InstalledModules } from '../embedded-apps/installed-modules.ts'
import type { ModuleCalls } from '../embedded-apps/module-calls.ts'
import type { ModuleLog } from '../embedded-apps/module-log.ts'
import type { IsolateClient } from '../isolates/client/client.ts'
import { registerOperator } from '../operator/routes.ts'
import { registerPages } from '../pages/register.ts'
import type { Rpc } from '../processes/rpc.ts'
import type { WebKeys } from '../security/keys.ts'
import { type AppendContact, registerContacts } from './contacts.ts'
import { registerDocs } from './docs.ts'
import { installErrorReplies, replyWithError, serviceErrorOf } from './error-replies.ts'
import { registerHealth } from './health.ts'
import { installJsonBody } from './json-body.ts'
import { registerRuntimeApi } from './runtime-api.ts'
import { registerScopeCatalog } from './scope-catalog.ts'
import { bodyLimit, refuseBrokenRequest, timeouts } from './server-limits.ts'
import type { TokenCallers } from './token-callers.ts'

export type WebContext = {
  settings: Settings
  logger: Logger
  ports: Ports
  tokens: TokenCallers
  /** The role that sees across tenants, on the tables protected with system access. */
  system: pg.Pool
  database: CoreDatabase
  client: IsolateClient
  modules: InstalledModules
  moduleCalls: ModuleCalls
  moduleLog: ModuleLog
  publisher: Rpc
  keys: WebKeys
  operatorTokenHash: string
  /** True where PostgreSQL is our own: then `publish --approve` is allowed. */
  embedded: boolean
  appendContact: AppendContact
}

/** The HTTP server of one web process, with every door mounted and nothing listening. */
export async function createServer(context: WebContext): Promise<FastifyInstance> {
  checkRegistry(operations)
  const { settings, ports, tokens, logger, appendContact } = context
  const server: FastifyInstance = Fastify({
    loggerInstance: logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => ulid(),
    bodyLimit,
    ...timeouts,
    clientErrorHandler: refuseBrokenRequest,
    frameworkErrors: (error, request, reply) => {
      reply.header('X-Request-Id', request.id)
      replyWithError(request, reply, serviceErrorOf(error, request))
    },
    trustProxy: settings.TRUSTED_PROXIES.length > 0 ? settings.TRUSTED_PROXIES : false,
    routerOptions: { ignoreTrailingSlash: true },
  })
  server.decorateRequest('caller', null)
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('X-Request-Id', request.id)
    done()
  })
  installErrorReplies(server)
  installJsonBody(server)
  const runtime = { operations, ports, tokens }
  await registerRuntimeApi(server, { ...runtime, basePath: settings.BASE_PATH, testTokensOnly: false })
  await registerRuntimeApi(server, { ...runtime, basePath: settings.SANDBOX_BASE_PATH, testTokensOnly: true })
  registerHealth(server, context)
  await registerPages(server, { ...context, clock: ports.clock })
  await server.register(async (operator) => registerOperator(operator, context), { prefix: '/operator' })
  registerScopeCatalog(server, settings.PARTNERS_PATH)
  registerContacts(server, { contactsPath: settings.CONTACTS_PATH, append: appendContact, clock: ports.clock })
  registerDocs(server, settings)
  return server
}

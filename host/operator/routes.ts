import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../../partner-services/service/errors.ts'
import { sourceBodyLimit } from '../http/server-limits.ts'
import { keepOutOfCaches } from '../http/no-store.ts'
import { admitSlowBody } from '../http/slow-bodies.ts'
import type { Sanitiser } from '../pages/sanitise/sanitiser.ts'
import type { WebContext } from '../web/context.ts'
import { registerApps } from './apps.ts'
import { registerContactsExport } from './contacts.ts'
import { isOperator } from './credential.ts'
import { registerHosts } from './hosts.ts'
import { registerInvoke } from './invoke.ts'
import { registerLimits } from './limits.ts'
import { registerLift } from './lift.ts'
import { registerLogs } from './logs.ts'
import { registerPartners } from './partners.ts'
import { registerPublish } from './publish.ts'
import { registerSandbox } from './sandbox.ts'
import { registerSchoolImport } from './school-import.ts'

/** What the command line asks a running host. Every route wants the operator's credential. */
export function registerOperator(server: FastifyInstance, context: WebContext, sanitiser: Sanitiser): void {
  keepOutOfCaches(server)
  server.addHook('onRequest', async (request) => {
    if (!isOperator(request, context.operatorTokenHash)) throw new ServiceError('unauthenticated')
    admitSlowBody(request)
  })
  server.addHook('onRoute', (route) => {
    route.bodyLimit = sourceBodyLimit
  })
  registerSandbox(server, context)
  registerApps(server, context)
  registerPublish(server, context)
  registerPartners(server, context)
  registerContactsExport(server, context)
  registerHosts(server, context)
  registerInvoke(server, context, sanitiser)
  registerLift(server, context)
  registerLimits(server, context)
  registerLogs(server, context)
  registerSchoolImport(server, context)
}

import cookie from '@fastify/cookie'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ServiceError } from '../../partner-services/service/errors.ts'
import { eventDefinitions } from '../../partner-services/description/events.ts'
import { untilClaimsAreOld } from '../events/claim.ts'
import { askPublisher } from '../http/ask-publisher.ts'
import type { Actor } from '../lifecycle/actor.ts'
import { keepOutOfCaches } from '../http/no-store.ts'
import { personOf } from '../pages/person.ts'
import { refusedPerson } from '../pages/refusal-page.ts'
import { rotateToken } from '../security/tokens.ts'
import { untilConfirmed } from '../security/token-epoch.ts'
import { createCookies } from '../sessions/cookies.ts'
import { createCurrentSession, type CurrentSession } from '../sessions/current-session.ts'
import { createSessionStore } from '../sessions/session-store.ts'
import type { WebContext } from '../web/context.ts'
import { type InstallationContext, rowsFollowText } from './install.ts'
import { type Administrator, type OAuthContext, registerOAuth } from './oauth-routes.ts'
import { registerPartnerPortal } from './partner-portal.ts'
import { registerSchoolInstallations } from './school-routes.ts'

export function installationContext({ system, ports, publisher, logger }: WebContext): InstallationContext {
  return {
    system,
    cipher: ports.cipher,
    clock: ports.clock,
    grantsChanged: () => untilConfirmed(system),
    deliveriesStopped: untilClaimsAreOld,
    applyTenantData: (of) => askPublisher({ publisher }, 'applyTenantData', of),
    rowsFollow: (reason) => logger.warn({ err: reason }, rowsFollowText),
  }
}

/** Consent and tokens (`/oauth`), what a school does with apps and a partner with deliveries (`<partners>/api`). */
export async function registerInstallationDoors(
  server: FastifyInstance,
  context: WebContext,
  actorOf: (request: FastifyRequest) => Promise<Actor>,
): Promise<void> {
  const { system, database, ports, settings } = context
  const sessions = createCurrentSession({
    store: createSessionStore(system, ports.clock),
    cookies: createCookies(settings.PUBLIC_URL),
    epoch: context.epoch,
    clock: ports.clock,
  })
  const installations: OAuthContext = {
    ...installationContext(context),
    requireAdministrator: (request) => requireAdministrator(sessions, request),
    refusedPerson: (request, error) => refusedPerson(sessions, request, error),
  }
  await server.register(async (doors) => {
    await doors.register(cookie)
    keepOutOfCaches(doors)
    registerOAuth(doors, installations)
    registerSchoolInstallations(doors, installations, settings.PARTNERS_PATH)
    registerPartnerPortal(doors, {
      system,
      cipher: ports.cipher,
      clock: ports.clock,
      events: eventDefinitions(),
      wake: context.wakeDeliveries,
      partnersPath: settings.PARTNERS_PATH,
      rotateToken: (installation, oldTokens) =>
        rotateToken({ database, systemPool: system, cipher: ports.cipher, clock: ports.clock }, installation, {
          oldTokens,
          isShown: true,
        }),
      async requirePartner(request) {
        const actor = await actorOf(request)
        return { partnerId: actor.kind === 'partner' ? actor.partnerId : null }
      },
    })
  })
}

async function requireAdministrator(sessions: CurrentSession, request: FastifyRequest): Promise<Administrator> {
  const session = await sessions.of(request)
  if (!session) throw new ServiceError('unauthenticated')
  if (!session.account.administrator) throw new ServiceError('forbidden')
  const { tenant, account, csrfSecret } = session
  return { tenantId: tenant.id, accountId: account.id, csrfSecret, person: personOf(session) }
}

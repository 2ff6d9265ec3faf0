import formbody from '@fastify/formbody'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { InvalidInputException, ServiceError } from '../../partner-services/service/errors.ts'
import { isStorable } from '../../partner-services/service/schemas.ts'
import { serviceErrorOf } from '../http/error-replies.ts'
import { localeOf } from '../http/locale.ts'
import { guardHeaders, pagePolicy } from '../pages/headers.ts'
import type { Person } from '../pages/person.ts'
import { askToSignIn, sendRefusal, showsPages } from '../pages/refusal-page.ts'
import { formToken, formTokenField, isFormToken } from '../sessions/form-token.ts'
import { authenticateClient } from './app-credentials.ts'
import { exchangeCode, issueCode } from './authorization-codes.ts'
import { type AuthorizationRequest, readAuthorizationRequest } from './authorization-request.ts'
import { consentPage } from './consent-page.ts'
import { currentGrant } from './current-grant.ts'
import { approveApp, type InstallationContext, untilInForce } from './install.ts'
import { OAuthError, withParameters } from './oauth-errors.ts'
import { holdPublishedApp } from './published-version.ts'
import { inTransaction } from '../database/in-transaction.ts'

/** The school's administrator of a request: only such a person may approve. */
export type Administrator = { tenantId: string; accountId: string; csrfSecret: Buffer; person: Person }

export type OAuthContext = InstallationContext & {
  /** Throws `unauthenticated` where nobody is signed in, `forbidden` where the person is no administrator. */
  requireAdministrator: (request: FastifyRequest) => Promise<Administrator>
  /** Whom the page of a refusal names. */
  refusedPerson: (request: FastifyRequest, error: ServiceError) => Promise<Person | null>
}

const formPurpose = '/oauth/authorize'
/** In bytes: the longest state and every scope there is take a third of it. */
const bodyLimit = 65_536

/** `/oauth/authorize` (consent, page or JSON by `Accept`) and `/oauth/token` (a code for a token). RFC 6749. */
export function registerOAuth(server: FastifyInstance, context: OAuthContext): void {
  server.register(async (routes) => {
    await routes.register(formbody)
    routes.setErrorHandler(async (error, request, reply) => {
      const refusal = refusalOf(error, request)
      if (refusal) return sendOAuthError(context, request, reply, refusal)
      if (!isForPerson(request)) throw error
      const known = serviceErrorOf(error, request)
      const isSignedOut = known.code === 'unauthenticated' && request.method === 'GET'
      return isSignedOut ? askToSignIn(request, reply) : refuse(context, request, reply, known)
    })
    routes.get('/oauth/authorize', (request, reply) => showConsent(context, request, reply))
    routes.post('/oauth/authorize', { bodyLimit }, (request, reply) => decide(context, request, reply))
    routes.post('/oauth/token', { bodyLimit }, (request, reply) => exchange(context, request, reply))
  })
}

const wantsJson = ({ headers }: FastifyRequest) => headers.accept?.includes('application/json') ?? false
/** Only programs ask for tokens, and some of them say that they take HTML before all else. */
const isForPerson = (request: FastifyRequest) =>
  request.routeOptions.url === '/oauth/authorize' && showsPages(request) && !wantsJson(request)

/** As an OAuth error what is one: to a client of `/oauth/token` a body that cannot be read is one too. Source: RFC 6749, 5.2. */
function refusalOf(error: unknown, { routeOptions }: FastifyRequest): OAuthError | null {
  if (error instanceof OAuthError) return error
  const status = error instanceof ServiceError ? error.status : (error as { statusCode?: unknown }).statusCode
  if (routeOptions.url !== '/oauth/token' || (status !== 400 && status !== 415)) return null
  return new OAuthError('invalid_request', 'the body cannot be read: send a form')
}

async function refuse(
  { refusedPerson }: OAuthContext,
  request: FastifyRequest,
  reply: FastifyReply,
  error: ServiceError,
): Promise<FastifyReply> {
  return sendRefusal(request, reply, error, await refusedPerson(request, error))
}

async function sendOAuthError(
  context: OAuthContext,
  request: FastifyRequest,
  reply: FastifyReply,
  error: OAuthError,
): Promise<FastifyReply> {
  reply.header('Cache-Control', 'no-store')
  if (error.redirect && !wantsJson(request)) {
    return reply.redirect(withParameters(error.redirect.uri, { ...error.body, state: error.redirect.state }), 303)
  }
  if (isForPerson(request)) return refuse(context, request, reply, new ServiceError('bad_request'))
  if (error.status === 401) reply.header('WWW-Authenticate', 'Basic realm="oauth"')
  return reply.status(error.status).send(error.body)
}

async function showConsent(context: OAuthContext, request: FastifyRequest, reply: FastifyReply) {
  const wish = await readAuthorizationRequest(context.system, request.query as Record<string, unknown>)
  const { tenantId, csrfSecret, person } = await context.requireAdministrator(request)
  const token = formToken(csrfSecret, formPurpose)
  if (wantsJson(request)) return reply.header('Cache-Control', 'no-store').send(described(wish, token))
  // A browser holds every redirect after a form to `form-action`: to the app's own address, and to wherever that leads on.
  const policy = pagePolicy.replace("form-action 'self'", `form-action 'self' ${new URL(wish.redirectUri).protocol}`)
  const current = await currentGrant(context.system, { tenantId, appId: wish.app.appId })
  const page = consentPage(localeOf(request.headers['accept-language']), wish, token, person, current)
  return guardHeaders(reply, policy).type('text/html; charset=utf-8').send(page)
}

/** What the consent shows, and what is to be sent back with the decision as it is here. */
function described({ app, namedRedirectUri, state }: AuthorizationRequest, token: string) {
  const { slug, displayName, version, integrationType, scopes } = app
  const shown = { slug, display_name: displayName, version, integration_type: integrationType }
  return { app: shown, scopes, redirect_uri: namedRedirectUri, state, [formTokenField]: token }
}

async function decide(context: OAuthContext, request: FastifyRequest, reply: FastifyReply) {
  const fields = fieldsOf(request)
  const wish = await readAuthorizationRequest(context.system, fields)
  const { tenantId, accountId, csrfSecret } = await context.requireAdministrator(request)
  if (!isFormToken(fields[formTokenField], csrfSecret, formPurpose)) throw new ServiceError('session_expired')
  const { app, redirectUri, namedRedirectUri, state } = wish
  const back = { uri: redirectUri, state }
  if (fields.decision !== 'approve') throw new OAuthError('access_denied', 'the school did not approve', back)
  const scopes = [fields.scopes ?? []].flat().map(String)
  const { code, ...approved } = await inTransaction(context.system, async (client) => {
    const current = await holdPublishedApp(client, app.slug)
    const { installationId, isNew } = await approveApp(context, client, current, { tenantId, accountId, scopes })
    const issued = { tenantId, installationId, appId: app.appId, redirectUri: namedRedirectUri }
    return { code: await issueCode(client, issued, context.clock()), isNew }
  }).catch((error) => {
    if (error instanceof InvalidInputException)
      throw new OAuthError('invalid_scope', (error.details.errors?.scopes ?? []).join(', '), back)
    throw error
  })
  await untilInForce(context, approved)
  const location = withParameters(redirectUri, { code, state })
  reply.header('Cache-Control', 'no-store')
  return wantsJson(request) ? reply.send({ redirect_to: location }) : reply.redirect(location, 303)
}

async function exchange(context: OAuthContext, request: FastifyRequest, reply: FastifyReply) {
  const fields = fieldsOf(request)
  const { clientId, secret } = credentialsOf(request, fields)
  const appId = await authenticateClient(context.system, clientId, secret)
  if (!appId) throw new OAuthError('invalid_client', 'client authentication failed')
  const { grant_type: grantType, code, redirect_uri: redirectUri = '' } = fields
  if (typeof grantType !== 'string') throw new OAuthError('invalid_request', 'grant_type is required')
  if (grantType !== 'authorization_code')
    throw new OAuthError('unsupported_grant_type', 'grant_type takes authorization_code')
  if (typeof code !== 'string' || typeof redirectUri !== 'string')
    throw new OAuthError('invalid_request', 'code is required, and redirect_uri where it was named; once each')
  const exchanged = await exchangeCode(context, { code, appId, redirectUri })
  if (!exchanged) throw new OAuthError('invalid_grant', 'the code is not valid for this app and redirect_uri')
  return reply.headers({ 'Cache-Control': 'no-store', Pragma: 'no-cache' }).send({
    access_token: exchanged.token,
    token_type: 'Bearer',
    scope: exchanged.scopes.join(' '),
    tenant_id: exchanged.tenantNumber,
    installation_id: exchanged.installationId,
  })
}

/** Without what no code, client or address can hold. */
function fieldsOf({ body }: FastifyRequest): Record<string, unknown> {
  if (typeof body !== 'object' || body === null) return {}
  return Object.fromEntries(Object.entries(body).filter(([, value]) => typeof value !== 'string' || isStorable(value)))
}

/** Client id and secret from the Basic header, or from the form; never from both. Source: RFC 6749, 2.3.1. */
function credentialsOf({ headers }: FastifyRequest, fields: Record<string, unknown>) {
  const { client_id: clientId, client_secret: secret } = fields
  if (Array.isArray(clientId) || Array.isArray(secret))
    throw new OAuthError('invalid_request', 'client_id and client_secret are said once each')
  const basic = /^basic (.+)$/i.exec(headers.authorization ?? '')?.[1]
  if (basic === undefined) {
    if (typeof clientId === 'string' && typeof secret === 'string') return { clientId, secret }
    throw new OAuthError('invalid_client', 'client_id and client_secret are required')
  }
  if (secret !== undefined) throw new OAuthError('invalid_request', 'authenticate in one way only')
  const [id = '', ...rest] = Buffer.from(basic, 'base64').toString().split(':')
  try {
    const clientId = decodeURIComponent(id)
    if (isStorable(clientId)) return { clientId, secret: decodeURIComponent(rest.join(':')) }
  } catch {
    // It is no URL encoding: nobody's credentials.
  }
  throw new OAuthError('invalid_client', 'client authentication failed')
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type pg from 'pg'
import { ServiceError } from '../../partner-services/service/errors.ts'
import { localeOf } from '../http/locale.ts'
import { sendPage } from '../pages/headers.ts'
import { type SignInProblem, signInPage } from '../pages/sign-in-page.ts'
import { hashPassword, verifyPassword } from '../security/password.ts'
import { browserSecret, knownBrowserSecret } from './browser-secret.ts'
import type { Cookies } from './cookies.ts'
import { formToken, formTokenField, isFormToken } from './form-token.ts'
import { createKnownDevices } from './known-device.ts'
import { isFromOwnPage, requireSameOrigin } from './same-origin.ts'
import { bareHost, type SessionStore } from './session-store.ts'
import { createSignInThrottle } from './sign-in-throttle.ts'

export type SignInContext = {
  system: pg.Pool
  store: SessionStore
  cookies: Cookies
  formsKey: Buffer
  clock: () => Date
}

type Account = { tenant_id: string; id: string; password_hash: string }
type Fields = Record<string, unknown>

const purposeFor = (browser: string): string => `/sign-in ${browser}`

/** Longer names belong to nobody, nor do names with a NUL, which the database could not even be asked for. */
const isUsername = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= 200 && !value.includes('\0')

/** In bytes. A form of a megabyte takes a tenth of a second to parse, and anybody may send it. */
const bodyLimit = 16_384

/** Sign-in and sign-out by form. An unknown name takes as long as a wrong password and answers the same. */
export function registerSignIn(server: FastifyInstance, context: SignInContext): void {
  const { system, store, cookies, formsKey, clock } = context
  const throttle = createSignInThrottle({ system, key: formsKey, clock })
  const devices = createKnownDevices(formsKey)
  const decoy = hashPassword('nobody has this password')

  const showForm = (request: FastifyRequest, reply: FastifyReply, status: number, problem?: SignInProblem) => {
    const locale = localeOf(request.headers['accept-language'])
    const next = safePath((request.query as Fields).next ?? (request.body as Fields | undefined)?.next)
    const { username } = (request.body ?? {}) as Fields
    const token = formToken(formsKey, purposeFor(browserSecret(cookies, request, reply)))
    const typed = isUsername(username) ? username : ''
    return sendPage(reply.status(status), signInPage({ locale, token, next, typed, ...(problem ? { problem } : {}) }))
  }

  server.get('/sign-in', async (request, reply) => showForm(request, reply, 200))

  server.post('/sign-in', { bodyLimit }, async (request, reply) => {
    requireSameOrigin(request)
    const { username, password, next, ...rest } = (request.body ?? {}) as Fields
    const browser = knownBrowserSecret(cookies, request)
    if (browser === null || !isFormToken(rest[formTokenField], formsKey, purposeFor(browser)))
      return showForm(request, reply, 403, 'stale')
    if (!isUsername(username) || typeof password !== 'string' || password.length > 1_000)
      return showForm(request, reply, 422, 'wrong')
    const known = cookies.read(request, 'partner_device')
    const attempt = { username, address: request.ip, device: devices.idFor(username, known) }
    const [wait, account] = await Promise.all([
      throttle.attempt(attempt),
      findAccount(system, username, request.hostname),
    ])
    if (wait > 0) return showForm(request, reply.header('Retry-After', wait), 429, 'wait')
    const correct = await verifyPassword(account?.password_hash ?? (await decoy), password)
    if (!account || !correct) return showForm(request, reply, 401, 'wrong')
    const [session] = await Promise.all([
      store.open({ tenantId: account.tenant_id, accountId: account.id }),
      throttle.succeeded(attempt),
      // A new sign-in ends the session before it, so that none can be planted.
      store.close(cookies.read(request, 'partner_session') ?? ''),
    ])
    cookies.clear(request, reply, 'partner_form')
    cookies.set(request, reply, 'partner_device', devices.remember(username, known))
    cookies.set(request, reply, 'partner_session', session)
    return reply.redirect(safePath(next), 303)
  })

  server.post('/sign-out', { bodyLimit }, async (request, reply) => {
    requireSameOrigin(request)
    const cookie = cookies.read(request, 'partner_session') ?? ''
    const session = await store.find(cookie, request.hostname)
    const token = (request.body as Fields | undefined)?.[formTokenField]
    // A page of an earlier session has that one's token, and one that another school's host name hides lives on elsewhere:
    // whoever presses the button means to leave no session behind.
    if (isFromOwnPage(request) || (session && isFormToken(token, session.csrfSecret, '/sign-out'))) {
      await store.close(cookie)
      cookies.clear(request, reply, 'partner_session')
    } else if (session) throw new ServiceError('session_expired')
    return reply.redirect('/sign-in', 303)
  })
}

/** At another school's host name an account is unknown: a session that it began there would be one elsewhere only. */
async function findAccount(system: pg.Pool, username: string, host: string): Promise<Account | undefined> {
  const text = `select tenant_id, id, password_hash from core.accounts a where username = $1
    and not exists (select from core.tenant_hosts h where h.host = $2 and h.tenant_id <> a.tenant_id)`
  const { rows } = await system.query<Account>({ name: 'account', text, values: [username, bareHost(host)] })
  return rows[0]
}

/** Where to go after signing in: a path of this host, nothing else, written as a header may say it. A consent's has a state. */
function safePath(next: unknown): string {
  if (typeof next !== 'string' || !/^\/(?![/\\])[^\\\s]{0,4000}$/.test(next)) return '/'
  return next.toWellFormed().replace(/[^\x21-\x7e]+/g, encodeURIComponent)
}

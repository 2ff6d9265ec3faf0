import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type pg from 'pg'
import { localeOf } from '../http/locale.ts'
import { sendPage } from '../pages/headers.ts'
import { signInPage } from '../pages/sign-in-page.ts'
import { hashPassword, verifyPassword } from '../security/password.ts'
import { clearSessionCookie, readSessionCookie, setSessionCookie } from './cookies.ts'
import { formToken, formTokenField, isFormToken } from './form-token.ts'
import { requireSameOrigin } from './same-origin.ts'
import type { SessionStore } from './session-store.ts'
import { createSignInThrottle } from './sign-in-throttle.ts'

export type SignInContext = { system: pg.Pool; store: SessionStore; formsKey: Buffer; clock: () => Date }

type Account = { tenant_id: string; id: string; password_hash: string }
type Fields = Record<string, unknown>

const purpose = '/sign-in'

/** Sign-in and sign-out by form. An unknown name takes as long as a wrong password and answers the same. */
export function registerSignIn(server: FastifyInstance, { system, store, formsKey, clock }: SignInContext): void {
  const throttle = createSignInThrottle(clock)
  const decoy = hashPassword('nobody has this password')

  const showForm = (request: FastifyRequest, reply: FastifyReply, status: number, problem?: 'wrong' | 'wait') => {
    const locale = localeOf(request.headers['accept-language'])
    const next = safePath((request.query as Fields).next ?? (request.body as Fields | undefined)?.next)
    return sendPage(
      reply.status(status),
      signInPage({ locale, token: formToken(formsKey, purpose), next, ...(problem ? { problem } : {}) }),
    )
  }

  server.get('/sign-in', async (request, reply) => showForm(request, reply, 200))

  server.post('/sign-in', async (request, reply) => {
    requireSameOrigin(request)
    const { username, password, next, ...rest } = (request.body ?? {}) as Fields
    if (!isFormToken(rest[formTokenField], formsKey, purpose)) return showForm(request, reply, 403)
    if (typeof username !== 'string' || typeof password !== 'string' || password.length > 1_000)
      return showForm(request, reply, 422, 'wrong')
    const wait = throttle.attempt(username, request.ip)
    if (wait > 0) return showForm(request, reply.header('Retry-After', wait), 429, 'wait')
    const account = await findAccount(system, username)
    const correct = await verifyPassword(account?.password_hash ?? (await decoy), password)
    if (!account || !correct) return showForm(request, reply, 401, 'wrong')
    throttle.succeeded(username, request.ip)
    await closeCurrent(request, store)
    setSessionCookie(request, reply, await store.open({ tenantId: account.tenant_id, accountId: account.id }))
    return reply.redirect(safePath(next), 303)
  })

  server.post('/sign-out', async (request, reply) => {
    requireSameOrigin(request)
    const session = await store.find(readSessionCookie(request) ?? '')
    if (
      session &&
      isFormToken((request.body as Fields | undefined)?.[formTokenField], session.csrfSecret, '/sign-out')
    ) {
      await store.close(session.tokenHash)
      clearSessionCookie(request, reply)
    }
    return reply.redirect('/sign-in', 303)
  })
}

/** A new sign-in ends the session before it, so that none can be planted. */
async function closeCurrent(request: FastifyRequest, store: SessionStore): Promise<void> {
  const before = await store.find(readSessionCookie(request) ?? '')
  if (before) await store.close(before.tokenHash)
}

async function findAccount(system: pg.Pool, username: string): Promise<Account | undefined> {
  const text = 'select tenant_id, id, password_hash from core.accounts where username = $1'
  const { rows } = await system.query<Account>({ name: 'account', text, values: [username.replaceAll('\0', '')] })
  return rows[0]
}

/** Where to go after signing in: a path of this host, nothing else. */
function safePath(next: unknown): string {
  return typeof next === 'string' && /^\/(?![/\\])[^\\\s]{0,500}$/.test(next) ? next : '/'
}

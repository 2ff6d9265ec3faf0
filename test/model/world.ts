import { createHash } from 'node:crypto'
import { ulid } from 'ulid'
import { readSettings, withoutSecrets } from '../../host/config.ts'
import { createServer } from '../../host/http/server.ts'
import { formToken } from '../../host/sessions/form-token.ts'
import { createSessionStore } from '../../host/sessions/session-store.ts'
import { publicSigningKey, webKeys } from '../../host/security/keys.ts'
import { createWebContext } from '../../host/web/create-web-context.ts'
import { createTestClock, createTestSender } from '../events/support.ts'
import { type Behaviour, startReceiver } from '../events/receiver.ts'
import { testHostKey } from '../support/cluster.ts'
import { createTestDatabase } from '../support/database.ts'
import { rollingBack } from '../support/rolling-back.ts'
import { createTestLogger } from '../support/run-logs.ts'
import { createSchool } from '../support/school.ts'
import { emptyRecords, type Tenant } from './resources.ts'

const operatorToken = 'operator-of-the-model'
// biome-ignore lint/suspicious/noExplicitAny: a test reads answers of every shape
export type Answer = { status: number; headers: Headers; body: any }
export type Asked = { token?: string | undefined; method?: string; body?: unknown; headers?: Record<string, string> }
export type World = Awaited<ReturnType<typeof startWorld>>

/** Two web processes' servers over one database, under one clock, with a sender and receivers. */
export async function startWorld() {
  const database = await createTestDatabase()
  const clock = createTestClock()
  const start = async () => {
    const context = createWebContext({
      settings: withoutSecrets(readSettings({})),
      connection: database.connection,
      keys: { ...webKeys(testHostKey), data: testHostKey, runtime: testHostKey },
      publicKey: publicSigningKey(testHostKey),
      operatorTokenHash: createHash('sha256').update(operatorToken).digest('hex'),
      embedded: true,
      logger: createTestLogger(),
      links: { subscribe: () => () => {}, condemn: () => {} },
      publisher: rollingBack(database, { clock: clock.now }),
      clock: clock.now,
    })
    const server = await createServer(context)
    const url = await server.listen({ host: '127.0.0.1', port: 0 })
    const close = async () => {
      await server.close()
      await context.close()
    }
    return { context, url, close }
  }
  const webs = [await start(), await start()]
  const { system } = webs[0]!.context
  const sender = createTestSender(system, clock.now)
  const store = createSessionStore(system, clock.now)
  const receivers: Awaited<ReturnType<typeof startReceiver>>[] = []

  async function ask(
    web: number,
    path: string,
    { token, method = 'GET', body, headers = {} }: Asked = {},
  ): Promise<Answer> {
    const response = await fetch(webs[web % webs.length]!.url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text.startsWith('{') ? JSON.parse(text) : text }
  }

  return {
    database,
    clock,
    webs,
    system,
    sender,
    ask,
    operator: (web: number, path: string, asked: Asked = {}) => ask(web, path, { ...asked, token: operatorToken }),
    async createTenant(sandbox: boolean): Promise<Tenant> {
      const school = await createSchool(database.admin, { sandbox })
      const tenant = { ...school, sandbox, records: emptyRecords() }
      await database.admin.query(
        `insert into core.accounts (tenant_id, id, username, password_hash, person_type, display_name, administrator)
          values ($1, $2, $3, 'x', 'supervisor', 'A', true)`,
        [school.id, school.id, `admin_${ulid()}`],
      )
      return tenant
    },
    /** A request of a school's administrator. */
    async administrator(web: number, tenant: Tenant, path: string, asked: Asked = {}): Promise<Answer> {
      const cookie = await store.open({ tenantId: tenant.id, accountId: tenant.id })
      const { rows } = await database.admin.query('select csrf_secret from core.sessions where token_hash = $1', [
        createHash('sha256').update(cookie).digest(),
      ])
      const secret: Buffer = rows[0].csrf_secret
      const token = formToken(secret, path.startsWith('/oauth') ? '/oauth/authorize' : '/partners/api/school')
      const body = path.startsWith('/oauth') ? { ...(asked.body as object), _token: token } : asked.body
      return ask(web, path, {
        ...asked,
        ...(body === undefined ? {} : { body }),
        headers: { cookie: `partner_session=${cookie}`, accept: 'application/json', 'x-form-token': token },
      })
    },
    async startReceiver(secret: string, behave: Behaviour) {
      const receiver = await startReceiver(secret, behave)
      receivers.push(receiver)
      return receiver
    },
    async close() {
      await sender.close()
      for (const one of receivers) await one.close()
      for (const one of webs) await one.close()
      await database.drop()
    },
  }
}

import Fastify, { type FastifyInstance } from 'fastify'
import pg from 'pg'
import { type CoreDatabase, createCoreDatabase } from '../../host/database/core-database.ts'
import type { CoreConnection } from '../../host/database/prepare.ts'
import { createDeliverySender, type DeliverySender } from '../../host/events/delivery-sender.ts'
import { createEventWriter } from '../../host/events/event-writer.ts'
import { createWaker } from '../../host/events/wake.ts'
import { createWebhookClient } from '../../host/events/webhook-client.ts'
import { newWebhookSecret, sealWebhookSecret } from '../../host/events/webhook-secret.ts'
import { installErrorReplies } from '../../host/http/error-replies.ts'
import { installJsonBody } from '../../host/http/json-body.ts'
import { registerRuntimeApi } from '../../host/http/runtime-api.ts'
import { createTokenCallers, type TokenCallers } from '../../host/http/token-callers.ts'
import { createCipher } from '../../host/security/cipher.ts'
import { operations } from '../../partner-services/registry.ts'
import type { Cipher, Ports } from '../../partner-services/service/ports.ts'
import { testHostKey } from '../support/cluster.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createTestLogger } from '../support/run-logs.ts'
import { createSchool, type InstalledApp, installApp, type School } from '../support/school.ts'

export const logger = createTestLogger()
export const cipher: Cipher = createCipher(testHostKey)
export const loopbackAllowed = { allowLoopback: true, forbiddenPorts: new Set<number>() }

/** A clock that stands still until it is moved, and the time that passes while it is: it goes on where the clock is put back. */
export function createTestClock(start = '2026-11-21T08:00:00.000Z') {
  let now = Date.parse(start)
  let passed = 0
  return {
    now: () => new Date(now),
    passed: () => passed,
    forward(milliseconds: number) {
      now += milliseconds
      passed += Math.max(0, milliseconds)
    },
  }
}

export type Platform = {
  database: TestDatabase
  core: CoreDatabase
  system: pg.Pool
  ports: Ports
  url: string
  /** Adds a student through the runtime API. */
  createStudent(token: string, fullName?: string): Promise<string>
  updateStudent(token: string, id: string, fullName: string): Promise<void>
  close(): Promise<void>
}

/** A database and a web server whose changes write events. */
export async function startPlatform(clock: () => Date = () => new Date(), mount?: Mount): Promise<Platform> {
  const database = await createTestDatabase()
  const { core, system, ports, url, close } = await serveRuntime(database.connection, clock, mount)
  const call = async (method: string, path: string, token: string, body: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as { student: { id: string } }
  }
  return {
    database,
    core,
    system,
    ports,
    url,
    createStudent: async (token, fullName = 'سارة') =>
      (await call('POST', '/apps/education/students', token, { full_name: fullName })).student.id,
    updateStudent: async (token, id, fullName) =>
      void (await call('PATCH', `/apps/education/students/${id}`, token, { full_name: fullName })),
    async close() {
      await close()
      await database.drop()
    },
  }
}

type Mount = (server: FastifyInstance, platform: { system: pg.Pool; tokens: TokenCallers }) => void

/** The runtime API over a prepared database, on a free port. Its changes write events. */
export async function serveRuntime(connection: CoreConnection, clock: () => Date, mount: Mount = () => {}) {
  const system = new pg.Pool({ ...connection.system, max: 4 })
  system.on('error', () => {})
  system.on('connect', (lent) => lent.on('error', () => {}))
  const { wake, close: stopWaking } = createWaker(system)
  const writeEvent = createEventWriter({ cipher, clock, wake })
  const core = createCoreDatabase({ connection: connection.core, poolSize: 8, writeEvent, clock })
  const ports: Ports = { database: core, recordAccess: () => {}, cipher, clock, platformTimeZone: 'Asia/Riyadh' }
  const server: FastifyInstance = Fastify()
  server.decorateRequest('caller', null)
  installErrorReplies(server)
  installJsonBody(server)
  const tokens = createTokenCallers(system, clock, { current: () => null, changed: () => 0 })
  await registerRuntimeApi(server, { basePath: '/apps', operations, tokens, ports, testTokensOnly: false })
  mount(server, { system, tokens })
  const url = await server.listen({ host: '127.0.0.1', port: 0 })
  const close = async () => {
    stopWaking()
    await server.close()
    await Promise.all([core.close(), system.end()])
  }
  return { core, system, ports, url, close }
}

export const studentEvents = ['education.students.created', 'education.students.updated']

export type Subscriber = InstalledApp & { appId: string; secret: string }

/** An installed external app with a webhook URL. */
export async function subscribe(
  { database }: Platform,
  url: string,
  options: { school?: School; events?: string[]; scopes?: string[]; secret?: string } = {},
): Promise<Subscriber> {
  const school = options.school ?? (await createSchool(database.admin))
  const app = await installApp(database.admin, school, { scopes: options.scopes })
  const { rows } = await database.admin.query<{ id: string }>('select id from core.apps where slug = $1', [app.slug])
  const appId = rows[0]!.id
  const secret = options.secret ?? newWebhookSecret()
  await database.admin.query(
    'update core.apps set webhook_url = $2, webhook_events = $3, webhook_secret_encrypted = $4 where id = $1',
    [appId, url, options.events ?? studentEvents, sealWebhookSecret(cipher, appId, secret)],
  )
  return { ...app, appId, secret }
}

export type TestSender = DeliverySender & {
  /** Sends what is due at this moment of the clock, and waits until all of it is written down. */
  settle(): Promise<void>
}

/** A sender under a clock of the test's own; it moves only when told, and so does the time that passes. */
export function createTestSender(
  system: pg.Pool,
  clock: () => Date,
  policy = loopbackAllowed,
  timeLimit = 400,
  passed = () => clock().getTime(),
): TestSender {
  const client = createWebhookClient({ policy, timeLimit })
  let more = false
  const sender = createDeliverySender({ pool: system, cipher, clock, passed, logger, client }, () => {
    more = true
  })
  return {
    ...sender,
    async settle() {
      for (let taken = -1; taken !== 0 || more || sender.busy() > 0; ) {
        more = false
        await sender.flush()
        taken = await sender.claim()
        await new Promise((done) => setTimeout(done, 1))
      }
    },
    async close() {
      await sender.close()
      client.close()
    },
  }
}

export type DeliveryRow = { id: string; state: string; due_at: Date | null; attempt_count: number; event: string }

export async function deliveriesOf({ database }: Platform, installationId: string): Promise<DeliveryRow[]> {
  const { rows } = await database.admin.query<DeliveryRow>(
    'select id, state, due_at, attempt_count, event from core.deliveries where installation_id = $1 order by position',
    [installationId],
  )
  return rows
}

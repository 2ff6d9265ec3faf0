import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { announceCatalog } from '../../host/events/catalog-change.ts'
import { replayDeliveries } from '../../host/events/replay.ts'
import { sendTestEvent } from '../../host/events/test-event.ts'
import { installationContext } from '../../host/installations/doors.ts'
import { eraseDueInstallations } from '../../host/installations/erase.ts'
import { uninstallApp } from '../../host/installations/uninstall.ts'
import { rotateToken } from '../../host/security/tokens.ts'
import type { WebContext } from '../../host/web/context.ts'
import { eventDefinitions } from '../../partner-services/description/events.ts'
import { catalogChanged } from '../../partner-services/service/event-names.ts'
import { createSchool } from '../support/school.ts'
import { startReceiver } from './receiver.ts'
import {
  cipher,
  createTestClock,
  createTestSender,
  deliveriesOf,
  type Platform,
  startPlatform,
  studentEvents,
  type Subscriber,
  subscribe,
  type TestSender,
} from './support.ts'

let platform: Platform
let sender: TestSender
const clock = createTestClock()
const secret = 'whsec_log'

before(async () => {
  platform = await startPlatform(clock.now)
  sender = createTestSender(platform.system, clock.now, undefined, 100)
})

after(async () => {
  await sender?.close()
  await platform?.close()
})

const loggedOf = async ({ installationId }: Subscriber) =>
  (
    await platform.database.admin.query(
      `select tenant_id, at, app, viewer_id, operation, record_ids from core.access_log
        where installation_id = $1 order by at`,
      [installationId],
    )
  ).rows

const uninstall = ({ tenantId, installationId }: Subscriber) => {
  const context = installationContext({ system: platform.system, ports: platform.ports } as WebContext)
  return uninstallApp(context, { tenantId, installationId, accountId: null })
}

test('a record that a webhook carries is an access: who subscribed, the event and the record, each time, for ever', async (t) => {
  const receiver = await startReceiver(secret)
  t.after(() => receiver.close())
  const app = await subscribe(platform, receiver.url, { secret })
  const row = async (id: string) => ({
    ...{ tenant_id: app.tenantId, at: clock.now(), app: app.slug, viewer_id: null },
    ...{ operation: 'education.students.created', record_ids: [id] },
  })
  const id = await platform.createStudent(app.token)
  await sender.settle()
  const first = await row(id)
  assert.deepEqual(await loggedOf(app), [first])
  clock.forward(1_000)
  const [delivery] = await deliveriesOf(platform, app.installationId)
  await replayDeliveries(platform.system, app.appId, [delivery!.id], clock.now())
  await sender.settle()
  const both = [first, await row(id)]
  assert.deepEqual(await loggedOf(app), both)
  await platform.database.admin.query(
    `update core.installations set status = 'uninstalled', uninstalled_at = $2 where id = $1`,
    [app.installationId, clock.now()],
  )
  clock.forward(28 * 86_400_000)
  const [certificate] = await eraseDueInstallations({
    ...{ core: platform.core.tenants, system: platform.system, clock: clock.now },
    signingKey: generateKeyPairSync('ed25519').privateKey,
    ...{ eraseModuleRows: async () => ({}), eraseFiles: async () => [], failed: assert.fail },
  })
  assert.equal(certificate!.removed.tables.deliveries, 1)
  assert.deepEqual(await loggedOf(app), both)
})

test('an attempt that failed is an access where its body may have arrived', async (t) => {
  const failing = await startReceiver(secret, (_request, response) => response.writeHead(500).end())
  const hanging = await startReceiver(secret, () => {})
  const cutting = await startReceiver(secret, (request) => request.socket.destroy())
  t.after(() => Promise.all([failing, hanging, cutting].map((receiver) => receiver.close())))
  const gone = createServer()
  await once(gone.listen(0, '127.0.0.1'), 'listening')
  const refusing = `http://127.0.0.1:${(gone.address() as AddressInfo).port}/`
  await new Promise((done) => gone.close(done))
  const logged: number[] = []
  for (const url of [failing.url, hanging.url, cutting.url, refusing, 'http://10.0.0.1/']) {
    const app = await subscribe(platform, url, { secret })
    await platform.createStudent(app.token)
    await sender.settle()
    assert.equal((await deliveriesOf(platform, app.installationId))[0]!.state, 'retrying', url)
    logged.push((await loggedOf(app)).length)
  }
  assert.deepEqual(logged, [1, 1, 1, 0, 0])
})

test('a record that was under way when the school uninstalled the app is an access', async (t) => {
  const answered = Promise.withResolvers<void>()
  const receiver = await startReceiver(secret, async (_request, response) => {
    await answered.promise
    response.end()
  })
  t.after(() => receiver.close())
  const patient = createTestSender(platform.system, clock.now, undefined, 10_000)
  t.after(() => patient.close())
  const app = await subscribe(platform, receiver.url, { secret })
  const id = await platform.createStudent(app.token)
  await patient.claim()
  await receiver.until(1)
  await uninstall(app)
  answered.resolve()
  await patient.settle()
  assert.deepEqual(
    (await loggedOf(app)).map((row) => row.record_ids),
    [[id]],
  )
})

test('what carries no record of the school is no access: a rotated token, a changed catalog, invented data', async (t) => {
  const receiver = await startReceiver(secret)
  t.after(() => receiver.close())
  const school = await createSchool(platform.database.admin, { sandbox: true })
  const events = [...studentEvents, catalogChanged]
  const app = await subscribe(platform, receiver.url, { school, secret, events })
  const context = { database: platform.core, systemPool: platform.system, cipher, clock: clock.now }
  await rotateToken(context, app)
  for (const version of ['1', '2']) await announceCatalog(platform.system, cipher, clock.now(), version)
  const [event] = eventDefinitions()
  assert.equal(event!.scope, 'education.students.read')
  await sendTestEvent(platform.system, cipher, clock.now(), { appId: app.appId, event: event! })
  await sender.settle()
  assert.deepEqual(
    receiver.received.map(({ body }) => body.event),
    ['partner.installation.token_rotated', catalogChanged, event!.name],
  )
  assert.deepEqual(await loggedOf(app), [])
})

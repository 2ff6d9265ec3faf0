import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { after, before, test } from 'node:test'
import { type Claimed, claimDeliveries, leaseTime } from '../../host/events/claim.ts'
import { createDeliverySender } from '../../host/events/delivery-sender.ts'
import { recordResults } from '../../host/events/results.ts'
import { createWebhookClient } from '../../host/events/webhook-client.ts'
import { issueAppCredentials } from '../../host/installations/app-credentials.ts'
import { narrowScopes } from '../../host/installations/narrow.ts'
import { uninstallApp } from '../../host/installations/uninstall.ts'
import { type Received, startReceiver } from './receiver.ts'
import {
  cipher,
  createTestClock,
  createTestSender,
  deliveriesOf,
  logger,
  loopbackAllowed,
  type Platform,
  startPlatform,
  type Subscriber,
  subscribe,
} from './support.ts'

let platform: Platform
const clock = createTestClock()
const secret = 'whsec_ahead'
/** As many as are sent to one receiver at once. */
const atOnce = 16
const ahead = 4

before(async () => {
  platform = await startPlatform(clock.now)
})

after(() => platform?.close())

const school = (app: Subscriber) => ({ tenantId: app.tenantId, installationId: app.installationId, accountId: null })
const context = () => ({
  system: platform.system,
  cipher,
  clock: clock.now,
  grantsChanged: async () => {},
  deliveriesStopped: async () => {},
  applyTenantData: async () => {},
  rowsFollow: () => {},
})

/** Does something while a receiver holds all it may be sent at once. Answers what it got of what waited behind. */
async function sentAfter(
  change: (app: Subscriber) => Promise<unknown>,
): Promise<{ app: Subscriber; sent: Received[] }> {
  const held: (() => void)[] = []
  let holds = true
  const receiver = await startReceiver(secret, (_request, response) => {
    const answer = () => void response.writeHead(200).end()
    if (holds) held.push(answer)
    else answer()
  })
  const sender = createTestSender(platform.system, clock.now, loopbackAllowed, 10_000, clock.passed)
  const app = await subscribe(platform, receiver.url, { secret })
  for (let i = 0; i < atOnce + ahead; i++) await platform.createStudent(app.token)
  assert.equal(await sender.claim(), atOnce + ahead)
  await receiver.until(atOnce)
  clock.forward(1_500)
  await change(app)
  holds = false
  for (const answer of held) answer()
  while (sender.busy() > 0) await new Promise<void>((done) => setTimeout(done, 1)).then(sender.flush)
  await sender.close()
  await receiver.close()
  return { app, sent: receiver.received.slice(atOnce) }
}

test('what waits behind a slow receiver is still sent', async () => {
  const { app, sent } = await sentAfter(async () => {})
  assert.deepEqual(
    sent.map(({ signed }) => signed),
    Array(ahead).fill(true),
  )
  assert.ok((await deliveriesOf(platform, app.installationId)).every(({ state }) => state === 'delivered'))
})

test('nothing that waits behind a slow receiver is sent once the school takes the app away', async () => {
  const { app, sent } = await sentAfter((one) => uninstallApp(context(), school(one)))
  assert.deepEqual(sent, [])
  assert.ok((await deliveriesOf(platform, app.installationId)).every(({ state }) => state === 'terminal'))
})

test('nor once the school takes the scope back', async () => {
  const scopes = ['education.guardians.read']
  const { sent } = await sentAfter((one) => narrowScopes(context(), { ...school(one), scopes }))
  assert.deepEqual(sent, [])
})

const unfit: Record<string, (app: Subscriber) => [string, unknown[]]> = {
  'the app is stopped everywhere': ({ appId }) => [`update core.apps set disabled_reason = 'x' where id = $1`, [appId]],
  'it is stopped at the school': ({ installationId }) => [
    `update core.installations set status = 'disabled' where id = $1`,
    [installationId],
  ],
  'another worker took it over': ({ installationId }) => [
    `update core.deliveries set lease = core.uuid7() where installation_id = $1 and state = 'delivering'`,
    [installationId],
  ],
}

for (const [when, change] of Object.entries(unfit)) {
  test(`nor where ${when} meanwhile`, async () => {
    const { sent } = await sentAfter((app) => platform.database.admin.query(...change(app)))
    assert.deepEqual(sent, [])
  })
}

test('nor what would be answered after its lease has ended', async () => {
  const { app, sent } = await sentAfter(async () => clock.forward(50_000))
  assert.deepEqual(sent, [])
  const states = (await deliveriesOf(platform, app.installationId)).map(({ state }) => state)
  assert.deepEqual(states.slice(atOnce), Array(ahead).fill('delivering'))
})

test('nor either of them where the clock is put back meanwhile', async () => {
  const back = 600_000
  const taken = await sentAfter((app) => {
    clock.forward(-back)
    return uninstallApp(context(), school(app))
  })
  const ended = await sentAfter(async () => {
    clock.forward(50_000)
    clock.forward(-back)
  })
  clock.forward(2 * back)
  assert.deepEqual([taken.sent, ended.sent], [[], []])
})

test('a result counts under the lease it was made under, not under that of whoever took over', async () => {
  const app = await subscribe(platform, 'https://receiver.test/', { secret })
  await platform.createStudent(app.token)
  const claim = async () => {
    const slots = { standard: 0, byApp: new Map([[app.appId, 1]]) }
    return (await claimDeliveries(platform.system, clock.now(), slots)).claimed[0]!
  }
  const outcome = { ok: true, status: 200, error: null, isSent: true, headers: {}, body: '', durationMs: 1 }
  const record = async (delivery: Claimed) => {
    const at = { startedAt: clock.now(), endedAt: clock.now() }
    await recordResults(platform.system, cipher, [{ delivery, outcome, ...at, sentHeaders: {} }])
    return (await deliveriesOf(platform, app.installationId)).map(({ state, attempt_count: tries }) => [state, tries])
  }
  const late = await claim()
  clock.forward(leaseTime)
  const taken = await claim()
  assert.deepEqual(await record(late), [['delivering', 0]])
  assert.deepEqual(await record(taken), [['delivered', 1]])
})

test('what is due of an app that is stopped, everywhere or at the school, is not sent', async () => {
  const receiver = await startReceiver(secret)
  const sender = createTestSender(platform.system, clock.now)
  for (const when of ['the app is stopped everywhere', 'it is stopped at the school']) {
    const app = await subscribe(platform, receiver.url, { secret })
    await platform.createStudent(app.token)
    await platform.database.admin.query(...unfit[when]!(app))
    await sender.settle()
    assert.equal(receiver.received.length, 0, when)
  }
  await sender.close()
  await receiver.close()
})

test('what waits behind a slow receiver goes where the app is now, signed with the secret it has now', async () => {
  const moved = await startReceiver(secret)
  const { sent } = await sentAfter(async ({ appId }) => {
    await issueAppCredentials(platform.system, cipher, appId)
    await platform.database.admin.query('update core.apps set webhook_url = $2 where id = $1', [appId, moved.url])
  })
  assert.deepEqual(sent, [])
  assert.deepEqual(
    moved.received.map(({ signed }) => signed),
    Array(ahead).fill(false),
  )
  await moved.close()
})

test('what was answered under a lease that is over is not sent again while it is written down', async () => {
  const receiver = await startReceiver(secret)
  const client = createWebhookClient({ policy: loopbackAllowed })
  const bell = new EventEmitter()
  const options = { pool: platform.system, cipher, clock: clock.now, logger, client }
  const sender = createDeliverySender(options, () => void bell.emit('ended'))
  const app = await subscribe(platform, receiver.url, { secret })
  await platform.createStudent(app.token)
  const ended = once(bell, 'ended')
  assert.equal(await sender.claim(), 1)
  await ended
  const slow = await platform.database.admin.connect()
  await slow.query('begin; lock table core.delivery_attempts')
  clock.forward(61_000)
  const writing = sender.flush()
  await sender.claim()
  await slow.query('commit')
  slow.release()
  await writing
  await sender.close()
  client.close()
  await receiver.close()
  assert.equal(receiver.received.length, 1)
  assert.equal((await deliveriesOf(platform, app.installationId))[0]!.state, 'delivered')
})

test('a delivery that is put aside unsent gives a receiver that fails no more requests at once', async () => {
  const held: (() => void)[] = []
  const fail = () => held.splice(0).forEach((answer) => void answer())
  const receiver = await startReceiver(secret, (_request, response) => {
    held.push(() => response.writeHead(503).end())
  })
  const sender = createTestSender(platform.system, clock.now, loopbackAllowed, 10_000)
  const app = await subscribe(platform, receiver.url, { secret })
  // Three more begin before the fourth failure; the next is put aside, two are sent, two wait.
  for (let i = 0; i < atOnce + 8; i++) await platform.createStudent(app.token)
  await sender.claim()
  await receiver.until(atOnce)
  clock.forward(1_500)
  const aside = (await deliveriesOf(platform, app.installationId))[atOnce + 3]!.id
  await platform.database.admin.query('update core.deliveries set lease = core.uuid7() where id = $1', [aside])
  fail()
  while (sender.busy() > 3) await new Promise<void>((done) => setTimeout(done, 1)).then(sender.flush)
  await receiver.until(atOnce + 3)
  fail()
  await receiver.until(atOnce + 5)
  await sender.flush()
  assert.equal(sender.busy(), 2)
  const closed = sender.close()
  fail()
  await closed
  await receiver.close()
})

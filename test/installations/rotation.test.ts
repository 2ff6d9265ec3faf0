import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { inTransaction } from '../../host/database/in-transaction.ts'
import { showDelivery } from '../../host/events/deliveries.ts'
import { rotateToken } from '../../host/security/tokens.ts'
import { startReceiver } from '../events/receiver.ts'
import { cipher, createTestClock, createTestSender, deliveriesOf, startPlatform, subscribe } from '../events/support.ts'

test('a rotation tells the app its new token, whether it subscribed or not; the old one works 15 more minutes', async () => {
  const clock = createTestClock()
  const platform = await startPlatform(clock.now)
  const secret = 'whsec_rotation'
  const receiver = await startReceiver(secret)
  const app = await subscribe(platform, receiver.url, { secret, events: [] })
  const context = { database: platform.core, systemPool: platform.system, cipher, clock: clock.now }
  const token = await rotateToken(context, app)
  const sender = createTestSender(platform.system, clock.now)
  await sender.settle()
  assert.equal(receiver.received[0]!.body.event, 'partner.installation.token_rotated')
  assert.deepEqual(receiver.received[0]!.body.data, { new_token: token })
  assert.ok(receiver.received[0]!.signed)

  const [delivery] = await deliveriesOf(platform, app.installationId)
  const shown = JSON.stringify(await showDelivery(platform.system, cipher, app.appId, delivery!.id))
  assert.ok(!shown.includes(token))
  clock.forward(15 * 60_000 - 1_000)
  await platform.createStudent(app.token)
  clock.forward(1_000)
  await assert.rejects(platform.createStudent(app.token), /401/)
  await platform.createStudent(token)
  await sender.close()
  await receiver.close()
  await platform.close()
})

test('a token that was made is told, though the database goes away before every process has confirmed', async () => {
  const clock = createTestClock()
  const platform = await startPlatform(clock.now)
  const app = await subscribe(platform, 'http://127.0.0.1:1/')
  const away = new pg.Pool()
  await away.end()
  const token = await rotateToken({ database: platform.core, systemPool: away, cipher, clock: clock.now }, app)
  await platform.createStudent(token)
  await platform.close()
})

test('of two rotations the app learns in their order', async () => {
  const clock = createTestClock()
  const platform = await startPlatform(clock.now)
  const receiver = await startReceiver('whsec_order')
  const app = await subscribe(platform, receiver.url, { secret: 'whsec_order', events: [] })
  const context = { database: platform.core, systemPool: platform.system, cipher, clock: clock.now }
  const tokens = [await rotateToken(context, app), await rotateToken(context, app)]
  const sender = createTestSender(platform.system, clock.now)
  const first = await sender.claim()
  await sender.settle()
  await sender.close()
  await receiver.close()
  await platform.close()
  assert.equal(first, 1, 'the second waits for the first')
  assert.deepEqual(
    receiver.received.map(({ body }) => body.data.new_token),
    tokens,
  )
})

test('of two rotations at once one token stays, the other ends after 15 minutes', async () => {
  const platform = await startPlatform()
  const app = await subscribe(platform, 'http://127.0.0.1:1/')
  const { admin } = platform.database
  const context = { database: platform.core, systemPool: platform.system, cipher, clock: () => new Date() }
  const rotating = await inTransaction(admin, async (holding) => {
    await holding.query('select from core.installations for update')
    const both = [rotateToken(context, app), rotateToken(context, app)]
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    while ((await admin.query(waiting)).rowCount !== 2) await new Promise((done) => setTimeout(done, 1))
    return both.map((one) => ({ one }))
  })
  await Promise.all(rotating.map(({ one }) => one))
  const { rows } = await admin.query('select count(*)::int from core.installation_tokens where expires_at is null')
  await platform.close()
  assert.deepEqual(rows, [{ count: 1 }])
})

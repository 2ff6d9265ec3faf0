import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { showDelivery } from '../../host/events/deliveries.ts'
import { resumeEndpoint } from '../../host/events/endpoint-health.ts'
import { recoverSince } from '../../host/events/recover.ts'
import { replayDeliveries } from '../../host/events/replay.ts'
import { purge } from '../../host/maintenance/purge.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import {
  cipher,
  createTestClock,
  createTestSender,
  deliveriesOf,
  type Platform,
  startPlatform,
  type Subscriber,
  subscribe,
  type TestSender,
} from './support.ts'

let platform: Platform
let sender: TestSender
const clock = createTestClock()
const secret = 'whsec_retry'
const open: Receiver[] = []

before(async () => {
  platform = await startPlatform(clock.now)
  sender = createTestSender(platform.system, clock.now)
})

after(async () => {
  await sender?.close()
  for (const receiver of open) await receiver.close()
  await platform?.close()
})

async function subscribed(status: () => number): Promise<{ app: Subscriber; receiver: Receiver }> {
  const receiver = await startReceiver(secret, (_request, response, { body }) =>
    response.writeHead(status(), { 'x-trace': 'r1' }).end(`got ${body.data.student?.full_name}`),
  )
  open.push(receiver)
  return { receiver, app: await subscribe(platform, receiver.url, { secret }) }
}

const second = 1_000
const day = 86_400 * second
const delays = [30, 120, 600, 3_600, 21_600].map((seconds) => seconds * second)

test('a failing delivery is tried after exactly 30 s, 2 m, 10 m, 1 h and 6 h, then it is terminal', async () => {
  const { app, receiver } = await subscribed(() => 500)
  await platform.createStudent(app.token)
  await sender.settle()
  for (const [index, delay] of delays.entries()) {
    const [waiting] = await deliveriesOf(platform, app.installationId)
    assert.deepEqual([waiting!.state, waiting!.attempt_count], ['retrying', index + 1])
    assert.equal(waiting!.due_at!.getTime() - clock.now().getTime(), delay)
    clock.forward(delay - second)
    await sender.settle()
    assert.equal(receiver.received.length, index + 1, 'a second too early nothing is sent')
    clock.forward(second)
    await sender.settle()
    assert.equal(receiver.received.length, index + 2)
  }
  const [delivery] = await deliveriesOf(platform, app.installationId)
  assert.deepEqual([delivery!.state, delivery!.due_at, delivery!.attempt_count], ['terminal', null, 6])
  const ids = receiver.received.map(({ headers }) => headers['x-platform-delivery-id'])
  assert.deepEqual([...new Set(ids)], [delivery!.id])
  assert.equal(new Set(receiver.received.map(({ headers }) => headers['x-platform-timestamp'])).size, 6)
  assert.ok(receiver.received.every(({ signed }) => signed))
  assert.equal(new Set(receiver.received.map(({ raw }) => raw)).size, 1, 'the body stays')
})

test('any past delivery can be replayed under its own id, with six new attempts', async () => {
  let status = 204
  const { app, receiver } = await subscribed(() => status)
  await platform.createStudent(app.token)
  await sender.settle()
  const [delivery] = await deliveriesOf(platform, app.installationId)
  assert.equal(delivery!.state, 'delivered')
  status = 500
  assert.deepEqual(await replayDeliveries(platform.system, app.appId, [delivery!.id], clock.now()), [delivery!.id])
  await sender.settle()
  const [again] = await deliveriesOf(platform, app.installationId)
  assert.deepEqual([again!.state, again!.attempt_count], ['retrying', 1])
  assert.equal(receiver.received[1]!.headers['x-platform-delivery-id'], delivery!.id)
  assert.equal(receiver.received[1]!.raw, receiver.received[0]!.raw)
  const foreign = await subscribed(() => 200)
  assert.deepEqual(await replayDeliveries(platform.system, foreign.app.appId, [delivery!.id], clock.now()), [])
})

test('what did not arrive since a moment can be recovered at once', async () => {
  let status = 500
  const { app, receiver } = await subscribed(() => status)
  await platform.createStudent(app.token)
  clock.forward(60 * second)
  const since = clock.now()
  await platform.createStudent(app.token)
  await platform.createStudent(app.token)
  await sender.settle()
  status = 200
  const before = receiver.received.length
  const recovered = recoverSince(platform.system, app.appId, { since, now: clock.now() }, (step) => step())
  assert.equal(await recovered, 2)
  await sender.settle()
  assert.equal(receiver.received.length - before, 2)
  assert.deepEqual(
    (await deliveriesOf(platform, app.installationId)).map(({ state }) => state),
    ['retrying', 'delivered', 'delivered'],
  )
})

const noticesOf = async ({ appId }: Subscriber) =>
  (await platform.system.query('select kind from core.partner_notices where app_id = $1', [appId])).rows

test('an endpoint that fails for five days is paused, its owner told, and nothing is lost', async () => {
  let status = 503
  const { app, receiver } = await subscribed(() => status)
  // As over a school's days off: between two events lie up to two days.
  for (const days of [1, 2, 2]) {
    await platform.createStudent(app.token)
    await sender.settle()
    assert.deepEqual(await noticesOf(app), [])
    clock.forward(days * day)
  }
  await sender.settle()
  assert.deepEqual(await noticesOf(app), [{ kind: 'endpoint_paused' }])
  const { rows: told } = await platform.system.query(
    'select message_en as en, message_ar as ar from core.partner_notices where app_id = $1',
    [app.appId],
  )
  for (const text of [told[0].en, told[0].ar])
    assert.ok(text.endsWith(`: partner webhook resume --app ${app.slug}`), text)
  const sent = receiver.received.length
  await platform.createStudent(app.token)
  await sender.settle()
  assert.equal(receiver.received.length, sent)
  status = 200
  await resumeEndpoint(platform.system, app.appId)
  clock.forward(6 * 3_600 * second)
  await sender.settle()
  const states = (await deliveriesOf(platform, app.installationId)).map(({ state }) => state)
  assert.deepEqual(states, ['delivered', 'delivered', 'delivered', 'delivered'])
})

test('an endpoint that failed once and was not called for weeks is not paused by its next failure', async () => {
  const { app, receiver } = await subscribed(() => 503)
  await platform.createStudent(app.token)
  for (const delay of [0, ...delays]) {
    clock.forward(delay)
    await sender.settle()
  }
  clock.forward(21 * day)
  await platform.createStudent(app.token)
  await sender.settle()
  clock.forward(30 * second)
  await sender.settle()
  assert.deepEqual([await noticesOf(app), receiver.received.length], [[], 8])
})

test('after more than two days without an attempt the five days are counted anew', async () => {
  const { app, receiver } = await subscribed(() => 503)
  for (const pause of [2 * day, 2 * day, 2 * day + second, 2 * day, 2 * day]) {
    await platform.createStudent(app.token)
    await sender.settle()
    clock.forward(pause)
  }
  await sender.settle()
  assert.deepEqual(await noticesOf(app), [])
  clock.forward(day)
  const before = receiver.received.length
  await sender.settle()
  assert.ok(receiver.received.length > before)
  assert.deepEqual(await noticesOf(app), [{ kind: 'endpoint_paused' }])
})

test('a delivery is shown with student data masked, each attempt with status, headers, answer and timing', async () => {
  const { app } = await subscribed(() => 418)
  const studentId = await platform.createStudent(app.token, 'نورة السالم')
  await sender.settle()
  const [{ id } = { id: '' }] = await deliveriesOf(platform, app.installationId)
  const shown = await showDelivery(platform.system, cipher, app.appId, id)
  assert.ok(!JSON.stringify(shown).includes('نورة'))
  assert.equal((shown.body.data as { student: { id: string; full_name: string } }).student.id, studentId)
  const [attempt] = shown.attempts
  assert.deepEqual([attempt!.status, attempt!.number, attempt!.response_body], [418, 1, 'got •••'])
  assert.equal(attempt!.response_headers['x-trace'], 'r1')
  assert.equal(attempt!.request_headers['X-Platform-Delivery-Id'], id)
  assert.ok(attempt!.duration_ms >= 0)
})

test('attempts are kept 30 days, deliveries longer', async () => {
  const { app } = await subscribed(() => 200)
  await platform.createStudent(app.token)
  await sender.settle()
  const [{ id } = { id: '' }] = await deliveriesOf(platform, app.installationId)
  clock.forward(31 * day)
  await purge(platform.system, clock.now(), (_, error) => assert.ifError(error))
  assert.deepEqual((await showDelivery(platform.system, cipher, app.appId, id)).attempts, [])
})

test('nothing of the data lies in clear in the tables of the outbox', async () => {
  const { app } = await subscribed(() => 500)
  await platform.createStudent(app.token, 'Zubaydah Marker')
  await sender.settle()
  const { rows } = await platform.database.admin.query<{ text: string }>(
    `select e::text || d::text || coalesce(a::text, '') as text from core.deliveries d join core.events e on e.id = d.event_id
      left join core.delivery_attempts a on a.delivery_id = d.id where d.installation_id = $1`,
    [app.installationId],
  )
  const hex = Buffer.from('Zubaydah').toString('hex')
  assert.ok(rows.length > 0 && rows.every(({ text }) => !text.includes('Zubaydah') && !text.includes(hex)))
})

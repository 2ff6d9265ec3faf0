import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { claimDeliveries } from '../../host/events/claim.ts'
import { replayDeliveries } from '../../host/events/replay.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import {
  createTestClock,
  createTestSender,
  deliveriesOf,
  loopbackAllowed,
  type Platform,
  startPlatform,
  type Subscriber,
  subscribe,
  type TestSender,
} from './support.ts'

let platform: Platform
let single: pg.Pool
const clock = createTestClock()
const secret = 'whsec_record'
const open: { close(): Promise<void> }[] = []
const all = { standard: 128, byApp: new Map<string, number>() }

before(async () => {
  platform = await startPlatform(clock.now)
  const { options } = platform.database.admin
  single = new pg.Pool({ ...options, password: options.password, max: 1 })
})

after(async () => {
  for (const one of open) await one.close()
  await single?.end()
  await platform?.close()
})

type Situation = { app: Subscriber; receiver: Receiver; sender: TestSender }

/** An app of its own whose receiver answers with what `status` says, or holds its answer until it is resolved. */
async function situation(status: (name: string) => number | Promise<number> = () => 200): Promise<Situation> {
  const receiver = await startReceiver(secret, async (_request, response, { body }) => {
    response.writeHead(await status(body.data.student.full_name)).end()
  })
  const sender = createTestSender(platform.system, clock.now, loopbackAllowed, 10_000)
  open.push(receiver, sender)
  return { app: await subscribe(platform, receiver.url, { secret }), receiver, sender }
}

const namesAt = ({ receiver }: Situation) => receiver.received.map(({ body }) => body.data.student.full_name)
const statesOf = async ({ app }: Situation) =>
  (await deliveriesOf(platform, app.installationId)).map((one) => one.state)

/** As many deliveries again of the newest record as `count` says, due before all others. */
async function pileUp({ app }: Situation, count: number): Promise<void> {
  await platform.database.admin.query(
    `insert into core.deliveries (tenant_id, installation_id, app_id, event_id, event, record_id, due_at, created_at)
      select tenant_id, installation_id, app_id, event_id, event, record_id, due_at - interval '1 hour', created_at
      from (select * from core.deliveries where installation_id = $1 order by position desc limit 1) d
      cross join generate_series(1, $2)`,
    [app.installationId, count],
  )
}

/** A claim inside a transaction that its caller ends. */
async function claimOpenly() {
  await single.query('begin')
  return claimDeliveries(single, clock.now(), all)
}

/** Rows of the deliveries that one claim of all apps reads. */
async function readByClaim(): Promise<number> {
  const read = async () => {
    const { rows } = await single.query<{ read: number }>(
      `select (idx_tup_fetch + seq_tup_read)::int as read from pg_stat_xact_user_tables where relname = 'deliveries'`,
    )
    return rows[0]!.read
  }
  await single.query('begin')
  const before = await read()
  await claimDeliveries(single, clock.now(), all)
  const after = await read()
  await single.query('rollback')
  return after - before
}

async function untilSomebodyWaits(): Promise<void> {
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  while ((await platform.database.admin.query(waiting)).rowCount === 0) await new Promise((done) => setTimeout(done, 1))
}

test('what waits behind one record costs claims nothing once it was seen, and keeps no other record from its turn', async () => {
  const never = Promise.withResolvers<number>()
  let failed = false
  const behind = await situation((name) => {
    if (name === 'other') return 200
    if (failed) return never.promise
    failed = true
    return 500
  })
  await platform.createStudent(behind.app.token, 'first')
  await behind.sender.settle()
  await pileUp(behind, 5_000)
  await platform.createStudent(behind.app.token, 'other')
  while (!namesAt(behind).includes('other')) {
    await behind.sender.claim()
    await behind.sender.flush()
  }
  assert.ok((await readByClaim()) < 100)
  assert.deepEqual(namesAt(behind), ['first', 'first', 'other'])
  await platform.database.admin.query('delete from core.deliveries')
  never.resolve(200)
})

test('what waits for a record is sent in its order, one after the other, also after the first one failed', async () => {
  const one = await situation((name) => (name === '0' ? 500 : 200))
  const id = await platform.createStudent(one.app.token, '0')
  for (let change = 1; change < 5; change++) await platform.updateStudent(one.app.token, id, String(change))
  for (let left = 5; left > 0; left--) assert.equal(await oneByOne(one), 1)
  assert.deepEqual(namesAt(one), ['0', '1', '2', '3', '4'])
  assert.deepEqual(await statesOf(one), ['retrying', 'delivered', 'delivered', 'delivered', 'delivered'])
})

/** One claim, sent to its end. */
async function oneByOne({ sender }: Situation): Promise<number> {
  const taken = await sender.claim()
  while (sender.busy() > 0) await new Promise<void>((done) => setTimeout(done, 1)).then(sender.flush)
  return taken
}

test('a delivery that steps aside while the one before it ends is put back', async () => {
  const held = Promise.withResolvers<number>()
  const one = await situation((name) => (name === 'first' ? held.promise : 200))
  const id = await platform.createStudent(one.app.token, 'first')
  assert.equal(await one.sender.claim(), 1)
  await platform.updateStudent(one.app.token, id, 'second')
  const { claimed, parked } = await claimOpenly()
  assert.deepEqual([claimed.length, parked], [0, 1])
  held.resolve(200)
  const ended = one.sender.settle()
  await untilSomebodyWaits()
  await single.query('commit')
  await ended
  assert.deepEqual(namesAt(one), ['first', 'second'])
})

test('nothing steps aside for one that is just ending', async () => {
  const one = await situation()
  const id = await platform.createStudent(one.app.token, 'first')
  await platform.updateStudent(one.app.token, id, 'second')
  const ending = await platform.database.admin.connect()
  await ending.query('begin')
  await ending.query(
    `update core.deliveries set state = 'delivered', due_at = null, attempt_count = 1
      where position = (select min(position) from core.deliveries where installation_id = $1)`,
    [one.app.installationId],
  )
  assert.deepEqual(await claimDeliveries(platform.system, clock.now(), all), { claimed: [], parked: 0 })
  await ending.query('commit')
  ending.release()
  await one.sender.settle()
  assert.deepEqual(namesAt(one), ['second'])
})

test('a worker that dies while it puts one back leaves that to who sends again', async () => {
  const one = await situation()
  const id = await platform.createStudent(one.app.token, 'first')
  await platform.updateStudent(one.app.token, id, 'second')
  const { claimed, parked } = await claimDeliveries(platform.system, clock.now(), all)
  assert.deepEqual([claimed.length, parked], [1, 1])
  const dying = await platform.database.admin.connect()
  await dying.query('begin')
  await dying.query(`update core.deliveries set due_at = null where id = $1`, [claimed[0]!.id])
  const { rows } = await dying.query('select from core.deliveries where installation_id = $1 and parked', [
    one.app.installationId,
  ])
  assert.equal(rows.length, 0)
  await dying.query('rollback')
  dying.release()
  clock.forward(61_000)
  await one.sender.settle()
  assert.deepEqual(namesAt(one), ['first', 'second'])
})

test('one that stepped aside can be replayed, and those behind it still come', async () => {
  const held = Promise.withResolvers<number>()
  const one = await situation((name) => (name === '0' ? held.promise : 200))
  const id = await platform.createStudent(one.app.token, '0')
  for (let change = 1; change < 4; change++) await platform.updateStudent(one.app.token, id, String(change))
  assert.equal(await one.sender.claim(), 1)
  const [, second] = await deliveriesOf(platform, one.app.installationId)
  assert.equal((await replayDeliveries(platform.system, one.app.appId, [second!.id], clock.now())).length, 1)
  assert.equal(await one.sender.claim(), 1)
  await one.receiver.until(2)
  held.resolve(200)
  await one.sender.settle()
  assert.deepEqual(namesAt(one), ['0', '1', '2', '3'])
  assert.deepEqual(new Set(await statesOf(one)), new Set(['delivered']))
})

test('many records at once, written while several senders send: each in its order, and none is forgotten', async () => {
  const one = await situation()
  const more = [1, 2].map(() => createTestSender(platform.system, clock.now, loopbackAllowed, 10_000))
  open.push(...more)
  const records = 6
  const changes = 25
  let writing = true
  const writers = Array.from({ length: records }, async (_, record) => {
    const id = await platform.createStudent(one.app.token, `${record}-0`)
    for (let change = 1; change < changes; change++)
      await platform.updateStudent(one.app.token, id, `${record}-${change}`)
  })
  const senders = [one.sender, ...more].map(async (sender) => {
    while (writing) await sender.settle()
  })
  await Promise.all(writers)
  writing = false
  await Promise.all(senders)
  await one.sender.settle()
  const names = namesAt(one)
  for (let record = 0; record < records; record++)
    assert.deepEqual(
      names.filter((name) => name.startsWith(`${record}-`)),
      Array.from({ length: changes }, (_, change) => `${record}-${change}`),
    )
})

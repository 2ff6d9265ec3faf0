import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createSchool, installApp } from '../support/school.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import {
  createTestClock,
  createTestSender,
  deliveriesOf,
  type Platform,
  startPlatform,
  subscribe,
  type TestSender,
} from './support.ts'

let platform: Platform
let sender: TestSender
let receiver: Receiver
const secret = 'whsec_test'
const clock = createTestClock()

before(async () => {
  platform = await startPlatform(clock.now)
  sender = createTestSender(platform.system, clock.now)
  receiver = await startReceiver(secret)
})

after(async () => {
  await sender?.close()
  await receiver?.close()
  await platform?.close()
})

test('a created student arrives as the specified envelope, headers and signature', async () => {
  const school = await createSchool(platform.database.admin)
  const app = await subscribe(platform, receiver.url, { school, secret })
  const studentId = await platform.createStudent(app.token, 'أحمد')
  await sender.settle()
  const [webhook] = receiver.received
  assert.deepEqual(Object.keys(webhook!.body), ['id', 'event', 'tenant_id', 'created_at', 'data'])
  assert.match(webhook!.body.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.equal(webhook!.body.event, 'education.students.created')
  assert.equal(webhook!.body.tenant_id, school.number)
  assert.equal(webhook!.body.created_at, '2026-11-21T08:00:00.000Z')
  assert.equal(webhook!.body.data.student.id, studentId)
  assert.equal(webhook!.body.data.student.full_name, 'أحمد')
  assert.equal(webhook!.headers['content-type'], 'application/json')
  assert.equal(webhook!.headers['x-platform-event'], 'education.students.created')
  assert.equal(webhook!.headers['x-platform-timestamp'], String(clock.now().getTime() / 1000))
  const [delivery] = await deliveriesOf(platform, app.installationId)
  assert.equal(webhook!.headers['x-platform-delivery-id'], delivery!.id)
  assert.match(delivery!.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/)
  assert.ok(webhook!.signed)
  assert.deepEqual([delivery!.state, delivery!.due_at, delivery!.attempt_count], ['delivered', null, 1])
})

test('an app without the read scope of the resource, or that is stopped, receives nothing of it', async () => {
  const school = await createSchool(platform.database.admin)
  const blind = await subscribe(platform, receiver.url, { school, scopes: ['education.students.write'] })
  const seeing = await subscribe(platform, receiver.url, { school, scopes: ['education.students.read'] })
  const stopped = await subscribe(platform, receiver.url, { school })
  await platform.database.admin.query(`update core.installations set status = 'disabled' where id = $1`, [
    stopped.installationId,
  ])
  await platform.createStudent(blind.token)
  for (const { installationId } of [blind, stopped])
    assert.equal((await deliveriesOf(platform, installationId)).length, 0)
  assert.equal((await deliveriesOf(platform, seeing.installationId)).length, 1)
})

test('where nobody subscribed nothing is written', async () => {
  const school = await createSchool(platform.database.admin)
  const app = await installApp(platform.database.admin, school)
  await platform.createStudent(app.token)
  const { rows } = await platform.database.admin.query('select from core.events where tenant_id = $1', [school.id])
  assert.equal(rows.length, 0)
})

test("a change that fails leaves no event, and another school's app learns nothing", async () => {
  const app = await subscribe(platform, receiver.url, { secret })
  const other = await subscribe(platform, receiver.url, { secret })
  await assert.rejects(platform.updateStudent(app.token, '01J9ZK3V7Q8R2M4T6W8Y0A1B2C', 'x'), /404/)
  await platform.createStudent(app.token)
  assert.equal((await deliveriesOf(platform, app.installationId)).length, 1)
  assert.equal((await deliveriesOf(platform, other.installationId)).length, 0)
})

test('an update that changes nothing is no event: an app that answers events with updates comes to rest', async () => {
  const app = await subscribe(platform, receiver.url, { secret })
  const id = await platform.createStudent(app.token, 'Sara')
  const eventsAfter = async (fields: object) => {
    const response = await fetch(`${platform.url}/apps/education/students/${id}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${app.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(fields),
    })
    assert.equal(response.status, 200)
    return [
      ((await response.json()) as { student: object }).student,
      (await deliveriesOf(platform, app.installationId)).length,
    ]
  }
  const student = { id, full_name: 'Sara', birth_date: null, gender: null }
  const rest = { national_id: null, grade_id: null, section_id: null, guardian_id: null }
  for (const fields of [{}, { full_name: 'Sara' }, { full_name: 'Sara', birth_date: null, gender: null }])
    assert.deepEqual(await eventsAfter(fields), [{ ...student, ...rest }, 1], JSON.stringify(fields))
  const born = { ...student, ...rest, birth_date: '2014-02-28' }
  assert.deepEqual(await eventsAfter({ full_name: 'Sara', birth_date: '2014-02-28' }), [born, 2])
  assert.deepEqual(await eventsAfter({ birth_date: '2014-02-28' }), [born, 2])
  assert.deepEqual(await eventsAfter({ birth_date: null }), [{ ...student, ...rest }, 3])
})

test("a record's events arrive in order while the first delivery succeeds", async () => {
  const ordered = await startReceiver(secret)
  const app = await subscribe(platform, ordered.url, { secret })
  const id = await platform.createStudent(app.token, '0')
  for (let change = 1; change < 8; change++) await platform.updateStudent(app.token, id, String(change))
  await sender.settle()
  assert.deepEqual(
    ordered.received.map(({ body }) => body.data.student.full_name),
    ['0', '1', '2', '3', '4', '5', '6', '7'],
  )
  await ordered.close()
})

test('a scope taken back after the event was written stops its delivery', async () => {
  const late = await startReceiver(secret)
  const app = await subscribe(platform, late.url, { secret })
  await platform.createStudent(app.token)
  await platform.database.admin.query(`update core.installations set granted_scopes = '{}' where id = $1`, [
    app.installationId,
  ])
  await sender.settle()
  assert.equal(late.received.length, 0)
  assert.equal((await deliveriesOf(platform, app.installationId))[0]!.state, 'terminal')
  await late.close()
})

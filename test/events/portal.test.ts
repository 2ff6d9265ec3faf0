import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { announceCatalog } from '../../host/events/catalog-change.ts'
import { maskData, maskEcho } from '../../host/events/masking.ts'
import { type Portal, startPortal } from '../installations/support.ts'
import { createSchool } from '../support/school.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { cipher, createTestClock, createTestSender, deliveriesOf, subscribe, type TestSender } from './support.ts'

let portal: Portal
let receiver: Receiver
let sender: TestSender
const clock = createTestClock()
const secret = 'whsec_portal'

before(async () => {
  portal = await startPortal(clock.now)
  receiver = await startReceiver(secret)
  sender = createTestSender(portal.system, clock.now)
})

after(async () => {
  await sender?.close()
  await receiver?.close()
  await portal?.close()
})

async function ownedApp(options: { sandbox?: boolean; events?: string[] } = {}) {
  const school = await createSchool(portal.database.admin, { sandbox: options.sandbox ?? false })
  const app = await subscribe(portal, receiver.url, { school, secret, events: options.events })
  await portal.database.admin.query(`insert into core.partners (id, name) values ('p1', 'P') on conflict do nothing`)
  await portal.database.admin.query(`update core.apps set partner_id = 'p1' where id = $1`, [app.appId])
  return { app, base: `/partners/api/apps/${app.slug}` }
}

test('a partner lists, shows and replays deliveries of own apps only', async () => {
  const { app, base } = await ownedApp()
  await portal.createStudent(app.token, 'ريم')
  await sender.settle()
  const { body } = await portal.call(`${base}/deliveries?state=delivered`, { partner: 'p1' })
  assert.deepEqual([body.total, body.data[0].event], [1, 'education.students.created'])
  const path = `${base}/deliveries/${body.data[0].id}`
  const shown = await portal.call(path, { partner: 'p1' })
  assert.equal(shown.body.delivery.attempts.length, 1)
  assert.ok(!shown.text.includes('ريم'))
  const replayed = await portal.call(`${path}/replay`, { method: 'POST', partner: 'p1' })
  assert.deepEqual([replayed.status, replayed.body.delivery.id], [202, body.data[0].id])
  const many = await portal.call(`${base}/deliveries/replay`, {
    ...{ method: 'POST', partner: 'p1', json: { ids: [body.data[0].id] } },
  })
  assert.deepEqual(many.body, { replayed: [body.data[0].id], paused_at: null })
  for (const [at, method] of [
    [`${base}/deliveries`, 'GET'],
    [path, 'GET'],
    [`${path}/replay`, 'POST'],
  ] as const) {
    assert.equal((await portal.call(at, { method, partner: 'p2' })).status, 404)
    assert.equal((await portal.call(at, { method })).status, 401)
  }
  assert.equal((await portal.call(`${base}/deliveries?state=lost`, { partner: 'p1' })).status, 422)
  assert.equal((await portal.call(`${base}/deliveries/nonsense`, { partner: 'p1' })).status, 404)
})

test('deliveries come by the page, the newest first, and every one of them once', async () => {
  const { app, base } = await ownedApp()
  for (let count = 0; count < 3; count++) await portal.createStudent(app.token)
  const newestFirst = (await deliveriesOf(portal, app.installationId)).map(({ id }) => id).toReversed()
  const page = (query: string) => portal.call(`${base}/deliveries?${query}`, { partner: 'p1' })
  const pages = await Promise.all([1, 2, 3].map(async (at) => (await page(`page=${at}&per_page=2`)).body))
  assert.deepEqual(
    pages.map(({ data }) => data.map(({ id }: { id: string }) => id)),
    [newestFirst.slice(0, 2), newestFirst.slice(2), []],
  )
  const { data: _, ...second } = pages[1]
  assert.deepEqual(second, { total: 3, per_page: 2, current_page: 2, last_page: 2, paused_at: null })
  for (const [query, field] of [
    ['page=0', 'page'],
    ['per_page=101', 'per_page'],
  ] as const) {
    const { status, body } = await page(query)
    assert.deepEqual([status, Object.keys(body.errors)], [422, [field]])
  }
})

test('an app’s address leads to nothing of another app', async () => {
  const [theirs, own] = [await ownedApp(), await ownedApp()]
  await portal.createStudent(theirs.app.token, 'ريم')
  await sender.settle()
  const { admin } = portal.database
  await admin.query(
    `insert into core.partner_notices (app_id, kind, message_en, message_ar, created_at) values ($1, '', '', '', now())`,
    [theirs.app.appId],
  )
  const [delivery] = await deliveriesOf(portal, theirs.app.installationId)
  const call = (path: string, method = 'GET', json?: unknown) =>
    portal.call(own.base + path, { method, partner: 'p1', json })
  assert.equal((await call('/deliveries')).body.total, 0)
  assert.deepEqual((await call('/notices')).body.data, [])
  assert.equal((await call(`/deliveries/${delivery!.id}`)).status, 404)
  assert.equal((await call(`/deliveries/${delivery!.id}/replay`, 'POST')).status, 404)
  assert.deepEqual((await call('/deliveries/replay', 'POST', { ids: [delivery!.id] })).body.replayed, [])
  assert.equal((await call(`/installations/${theirs.app.installationId}/token/show`, 'POST')).status, 404)
})

test('what a school took back or ended is not sent again', async () => {
  const { app, base } = await ownedApp()
  await portal.createStudent(app.token, 'ريم')
  await sender.settle()
  const { rows } = await portal.database.admin.query('select id from core.deliveries where installation_id = $1', [
    app.installationId,
  ])
  const ids = rows.map(({ id }) => id)
  const replayed = async (change: string) => {
    await portal.database.admin.query(`update core.installations set ${change} where id = $1`, [app.installationId])
    const again = { method: 'POST', partner: 'p1', json: { ids } }
    return (await portal.call(`${base}/deliveries/replay`, again)).body.replayed
  }
  assert.deepEqual(await replayed(`granted_scopes = '{}'`), [])
  assert.deepEqual(await replayed(`granted_scopes = '{education.students.read}', status = 'disabled'`), [])
  assert.deepEqual(await replayed(`status = 'active'`), ids)
})

test('what a receiver sends back of a student is masked in its headers too', async () => {
  const echoing = await startReceiver(secret, (_request, response) =>
    response.writeHead(200, { 'x-echo': encodeURIComponent('ريم') }).end(),
  )
  const { app, base } = await ownedApp()
  await portal.database.admin.query('update core.apps set webhook_url = $2 where id = $1', [app.appId, echoing.url])
  await portal.createStudent(app.token, 'ريم')
  await sender.settle()
  const [delivery] = await deliveriesOf(portal, app.installationId)
  const { body } = await portal.call(`${base}/deliveries/${delivery!.id}`, { partner: 'p1' })
  assert.equal(body.delivery.attempts[0].response_headers['x-echo'], '•••')
  await echoing.close()
})

test('deliveries are found by ids in either case; a filter that is no id is refused, never an empty list', async () => {
  const { app, base } = await ownedApp()
  await portal.createStudent(app.token, 'ريم')
  await sender.settle()
  const of = (id: string) => portal.call(`${base}/deliveries?installation_id=${id}`, { partner: 'p1' })
  const { body } = await of(app.installationId.toLowerCase())
  assert.equal(body.total, 1)
  assert.equal((await of('mine')).status, 422)
  const id = body.data[0].id.toUpperCase()
  assert.equal((await portal.call(`${base}/deliveries/${id}`, { partner: 'p1' })).status, 200)
  const again = { method: 'POST', partner: 'p1', json: { ids: [id] } }
  assert.deepEqual((await portal.call(`${base}/deliveries/replay`, again)).body.replayed, [body.data[0].id])
})

test('a test event holds invented data of the right shape and goes to sandbox schools only', async () => {
  const live = await ownedApp()
  assert.equal((await portal.call(`${live.base}/webhook/test`, { method: 'POST', partner: 'p1' })).status, 409)
  const { app, base } = await ownedApp({ sandbox: true })
  receiver.received.length = 0
  const { status, body } = await portal.call(`${base}/webhook/test`, { method: 'POST', partner: 'p1', json: {} })
  assert.equal(status, 202)
  await sender.settle()
  const [webhook] = receiver.received.filter(({ headers }) => headers['x-platform-delivery-id'] === body.delivery.id)
  assert.equal(webhook!.body.event, 'education.students.created')
  assert.equal(typeof webhook!.body.data.student.full_name, 'string')
  assert.equal((await deliveriesOf(portal, app.installationId))[0]!.state, 'delivered')
})

test('a test event says what an app without a webhook, or without an event of its own, lacks', async () => {
  const { app, base } = await ownedApp({ sandbox: true })
  const asked = () => portal.call(`${base}/webhook/test`, { method: 'POST', partner: 'p1', json: {} })
  await portal.database.admin.query(`update core.apps set webhook_events = '{}' where id = $1`, [app.appId])
  const without = await asked()
  assert.deepEqual([without.status, without.body.errors], [422, { event: ['is needed: the app subscribes to none'] }])
  await portal.database.admin.query('update core.apps set webhook_url = null where id = $1', [app.appId])
  const { status, body } = await asked()
  assert.deepEqual([status, body.errors], [422, { webhook: ['is not there: no published version names a webhookUrl'] }])
})

test('an endpoint that is paused is told with everything that would be sent to it, until its partner resumes it', async () => {
  const { app, base } = await ownedApp({ sandbox: true })
  await portal.createStudent(app.token)
  await portal.database.admin.query(
    'insert into core.endpoints (app_id, failing_since, paused_at) values ($1, $2, $2)',
    [app.appId, clock.now()],
  )
  const [delivery] = await deliveriesOf(portal, app.installationId)
  const post = (path: string, json: object = {}) => portal.call(base + path, { method: 'POST', partner: 'p1', json })
  const answers = async () => [
    await portal.call(`${base}/deliveries`, { partner: 'p1' }),
    await post('/deliveries/replay', { ids: [delivery!.id] }),
    await post(`/deliveries/${delivery!.id}/replay`),
    await post('/deliveries/recover', { since: clock.now().toISOString() }),
    await post('/webhook/test'),
  ]
  const told = async () => [...new Set((await answers()).map(({ body }) => body.paused_at))]
  assert.deepEqual(await told(), [clock.now().toISOString()])
  assert.equal((await post('/webhook/resume')).status, 204)
  assert.deepEqual(await told(), [null])
})

test('test events of an app are counted by the minute: one too many is told when to come again, and writes nothing', async () => {
  const [{ app, base }, other] = [await ownedApp({ sandbox: true }), await ownedApp({ sandbox: true })]
  const asked = (of: string) => portal.call(`${of}/webhook/test`, { method: 'POST', partner: 'p1', json: {} })
  for (let count = 0; count < 30; count++) assert.equal((await asked(base)).status, 202)
  const { status, headers, body } = await asked(base)
  const left = String(60 - (clock.now().getTime() % 60_000) / 1_000)
  assert.deepEqual([status, body.error, headers.get('retry-after')], [429, 'rate_limited', left])
  assert.equal((await deliveriesOf(portal, app.installationId)).length, 30)
  assert.equal((await asked(other.base)).status, 202)
  clock.forward(60_000)
  assert.equal((await asked(base)).status, 202)
})

test('a changed catalog is announced to its subscribers once, the first catalog to nobody', async () => {
  const { app } = await ownedApp({ events: ['partner_scopes.catalog.changed'] })
  assert.equal(await announceCatalog(portal.system, cipher, clock.now(), 'v1'), false)
  const both = [
    announceCatalog(portal.system, cipher, clock.now(), 'v2'),
    announceCatalog(portal.system, cipher, clock.now(), 'v2'),
  ]
  assert.deepEqual((await Promise.all(both)).sort(), [false, true])
  const events = (await deliveriesOf(portal, app.installationId)).map(({ event }) => event)
  assert.deepEqual(events, ['partner_scopes.catalog.changed'])
})

test('a new token is never shown, not even where the receiver sent it back', () => {
  const data = { new_token: 'pit_live_secret' }
  assert.deepEqual(maskData(data), { new_token: '[never shown]' })
  assert.equal(maskEcho('you sent pit_live_secret', data), '[never shown]')
  assert.deepEqual(maskData({ names: ['ريم', 4, { nick: 'ر' }] }), { names: ['•••', 4, { nick: '•••' }] })
})

test('an echo of student data is masked however it is escaped', () => {
  const name = 'ليلى "ي" AB Omar-Ali'
  const escaped = [...JSON.stringify(name).slice(1, -1)]
    .map((sign) => (sign < '\x80' ? sign : `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`))
    .join('')
  const data = { student: { full_name: name } }
  for (const echo of [
    JSON.stringify(data),
    encodeURIComponent(name),
    encodeURIComponent(name).replace(/%../g, (byte) => byte.toLowerCase()),
    new URLSearchParams({ name }).toString(),
    escaped,
    escaped.replace(/u..../g, (unit) => unit.toLowerCase()),
  ])
    assert.ok(!/ليلى|u0644|%D9%84|omar/i.test(maskEcho(echo, data)), echo)
})

test('of an echo that ends within a text of the event, what is kept of it is masked as well', () => {
  const [name, number] = ['ليلى علي الزهراني', '1029384756']
  const data = { student: { full_name: name, national_id: number } }
  assert.equal(maskEcho(`{"id":"${number.slice(0, 9)}`, data), '{"id":"•••')
  const cutWithinLetter = Buffer.from(`x ${name}`).subarray(0, 19).toString()
  assert.match(cutWithinLetter, /\ufffd$/)
  assert.equal(maskEcho(cutWithinLetter, data), 'x •••')
  assert.equal(maskEcho(`name=${encodeURIComponent(name).slice(0, 32)}`, data), 'name=•••')
  for (const whole of ['ok', 'received 10', 'no such student']) assert.equal(maskEcho(whole, data), whole)
})

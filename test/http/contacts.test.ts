import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { contactsPerAddressAndDay, contactsPerDay } from '../../partner-services/contacts/submission.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { startWeb, type TestWeb } from '../support/web.ts'

let database: TestDatabase
let webs: TestWeb[]
let now = new Date('2026-11-21T07:00:20Z')

before(async () => {
  database = await createTestDatabase()
  const options = { clock: () => now, settings: { TRUSTED_PROXIES: ['127.0.0.1'] } }
  webs = await Promise.all([startWeb(database, options), startWeb(database, options)])
})

after(async () => {
  await Promise.all((webs ?? []).map((web) => web.close()))
  await database?.drop()
})

const send = (body: unknown, address = '192.0.2.1', web = webs[0]!) =>
  web.call('/contacts/api/v1/contacts', { method: 'POST', body, headers: { 'x-forwarded-for': address } })

test('each submission is appended and answered with its own fields only', async () => {
  const body = { wa_id: '1', name: 'ليلى', profile: { a: [1, { b: null }] }, language: 'ar' }
  const first = await send(body)
  assert.equal(first.status, 201)
  const { id, created_at, ...fields } = first.body.contact
  assert.deepEqual([fields, created_at], [body, now.toISOString()])
  const second = await send({ wa_id: '1', unknown: 1 })
  assert.deepEqual(Object.keys(second.body.contact).sort(), ['created_at', 'id', 'wa_id'])
  assert.notEqual(second.body.contact.id, id)
  const { rows } = await database.admin.query('select submission from core.contact_submissions order by created_at, id')
  assert.deepEqual(
    rows.map((row) => row.submission),
    [body, { wa_id: '1' }],
  )
})

test('an optional field that a form sends unfilled is absent; a required one is missing', async () => {
  for (const nothing of ['', ' ', null]) {
    const unfilled = Object.fromEntries(
      ['phone', 'name', 'email', 'language', 'profile', 'custom_fields'].map((name) => [name, nothing]),
    )
    const { status, body } = await send({ wa_id: '1', ...unfilled }, '192.0.2.7')
    assert.deepEqual([status, Object.keys(body.contact ?? {}).sort()], [201, ['created_at', 'id', 'wa_id']])
    const stored = 'select submission from core.contact_submissions where id = $1'
    const { rows } = await database.admin.query(stored, [body.contact.id])
    assert.deepEqual(rows, [{ submission: { wa_id: '1' } }])
    const missing = await send({ wa_id: nothing, ...unfilled }, '192.0.2.7')
    assert.deepEqual([missing.status, Object.keys(missing.body.errors)], [422, ['wa_id']])
  }
})

test('wrong fields are named, in the language asked for', async () => {
  const { status, body } = await send(
    {
      phone: '1'.repeat(33),
      name: 'x'.repeat(121),
      email: 'no',
      language: 'eng',
      profile: [],
      custom_fields: { a: '\0' },
    },
    '192.0.2.2',
  )
  assert.equal(status, 422)
  assert.deepEqual(Object.keys(body.errors).sort(), [
    'custom_fields',
    'email',
    'language',
    'name',
    'phone',
    'profile',
    'wa_id',
  ])
  const arabic = await webs[0]!.call('/contacts/api/v1/contacts', {
    method: 'POST',
    body: {},
    headers: { 'accept-language': 'ar' },
  })
  assert.match(arabic.body.errors.wa_id[0], /[ء-ي]/)
})

test('more than 64 KiB is refused', async () => {
  const { status, body } = await send({ wa_id: '1', profile: { text: 'x'.repeat(65_536) } }, '192.0.2.3')
  assert.deepEqual([status, body.error], [413, 'payload_too_large'])
})

test('an address is throttled exactly over all processes, and another is not', async () => {
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, n) => send({ wa_id: '1' }, '192.0.2.4', webs[n % 2])),
  )
  assert.equal(answers.filter(({ status }) => status === 201).length, 20)
  const refused = answers.find(({ status }) => status === 429)!
  assert.deepEqual([refused.body.error, refused.headers.get('retry-after')], ['rate_limited', '40'])
  assert.equal((await send({ wa_id: '1' }, '192.0.2.5')).status, 201)
  now = new Date('2026-11-21T07:01:00Z')
  assert.equal((await send({ wa_id: '1' }, '192.0.2.4')).status, 201)
})

test('of an IPv6 address its network is throttled: whoever has one address has all of it', async () => {
  const hosts = Array.from({ length: 30 }, (_, n) => `2001:db8::${n.toString(16)}`)
  const answers = await Promise.all(hosts.map((host) => send({ wa_id: '1' }, host)))
  assert.equal(answers.filter(({ status }) => status === 201).length, 20)
  assert.equal((await send({ wa_id: '1' }, '2001:db8:0:1::1')).status, 201)
})

test('an address is throttled exactly where the clocks of two hosts name different minutes', async (t) => {
  const clock = () => new Date(now.getTime() + 60_000)
  const ahead = await startWeb(database, { clock, settings: { TRUSTED_PROXIES: ['127.0.0.1'] } })
  t.after(() => ahead.close())
  const statuses: number[] = []
  for (let n = 0; n < 30; n++)
    statuses.push((await send({ wa_id: '1' }, '192.0.2.6', n % 2 === 0 ? ahead : webs[0])).status)
  assert.equal(statuses.filter((status) => status === 201).length, 20)
})

test('over all addresses and processes so many are taken in a day (UTC), and none that was refused counts', async () => {
  const today = async (used?: number) => {
    const change = 'update core.address_counts set used = coalesce($1, used) where address = $2 returning used'
    return (await database.admin.query(change, [used ?? null, 'all'])).rows[0]?.used
  }
  now = new Date('2026-11-22T23:59:30Z')
  for (let n = 0; n < 25; n++) await send({ wa_id: '1' }, '192.0.2.8')
  await send({ wa_id: '' }, '192.0.2.9')
  assert.equal(await today(), 20)
  await today(contactsPerDay - 1)
  const answers = await Promise.all([10, 11].map((n) => send({ wa_id: 'last' }, `192.0.2.${n}`, webs[n % 2])))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 429])
  const refused = answers.find(({ status }) => status === 429)!
  assert.deepEqual([refused.body.error, refused.headers.get('retry-after')], ['rate_limited', '30'])
  const { rowCount } = await database.admin.query(
    `select from core.contact_submissions where submission ->> 'wa_id' = 'last'`,
  )
  assert.equal(rowCount, 1)
  now = new Date('2026-11-22T23:59:00Z')
  assert.equal((await send({ wa_id: '1' }, '192.0.2.12')).headers.get('retry-after'), '60')
  now = new Date('2026-11-23T00:00:00Z')
  assert.equal((await send({ wa_id: '1' }, '192.0.2.10')).status, 201)
})

test('one address that has sent its share of a day waits until the next; another is served', async () => {
  now = new Date('2026-11-25T23:59:00Z')
  await send({ wa_id: '1' }, '192.0.2.13')
  const share = `update core.address_counts set used = $1 where address like 'day of 192.0.2.13%'`
  assert.equal((await database.admin.query(share, [contactsPerAddressAndDay])).rowCount, 1)
  const refused = await send({ wa_id: '1' }, '192.0.2.13')
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '60'])
  assert.equal((await send({ wa_id: '1' }, '192.0.2.14')).status, 201)
  now = new Date('2026-11-26T00:00:00Z')
  assert.equal((await send({ wa_id: '1' }, '192.0.2.13')).status, 201)
})

test('of an IPv6 address the share of a day is that of its /48, which one customer may have', async () => {
  now = new Date('2026-11-27T23:59:00Z')
  await send({ wa_id: '1' }, '2001:db8:1:2::1')
  const share = `update core.address_counts set used = $1 where address like 'day of 2001:db8:1:%'`
  assert.equal((await database.admin.query(share, [contactsPerAddressAndDay])).rowCount, 1)
  const refused = await send({ wa_id: '1' }, '2001:db8:1:ffff::1')
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '60'])
  assert.equal((await send({ wa_id: '1' }, '2001:db8:2:2::1')).status, 201)
})

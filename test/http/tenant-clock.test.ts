import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ulid } from 'ulid'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createSchool, installApp } from '../support/school.ts'
import { startWeb, type TestWeb } from '../support/web.ts'

let database: TestDatabase
let web: TestWeb
let now = new Date('2026-11-21T07:00:00.250Z')

before(async () => {
  database = await createTestDatabase()
  web = await startWeb(database, { clock: () => now })
  for (const [code, zone] of [
    ['EG', 'Africa/Cairo'],
    ['US', null],
  ]) {
    await database.admin.query(`insert into core.countries values ($1, $2, 'x', 'x', '+0', $3)`, [code, ulid(), zone])
  }
})

after(async () => {
  await web?.close()
  await database?.drop()
})

async function clockOf(options: { timezone?: string; country?: string }) {
  const school = await createSchool(database.admin, options)
  await database.admin.query('update core.tenants set country_code = $2 where id = $1', [
    school.id,
    options.country ?? null,
  ])
  const app = await installApp(database.admin, school, { scopes: [] })
  return (await web.call('/apps/tenant/clock', { token: app.token })).body
}

test("the school's own zone wins, then its country's single zone, then the platform's", async () => {
  assert.deepEqual(await clockOf({ timezone: 'Asia/Kolkata', country: 'EG' }), {
    timezone: 'Asia/Kolkata',
    offset: '+05:30',
    now: '2026-11-21T12:30:00.250+05:30',
  })
  assert.equal((await clockOf({ country: 'EG' })).timezone, 'Africa/Cairo')
  assert.equal((await clockOf({ country: 'US' })).timezone, 'Asia/Riyadh')
  assert.deepEqual(await clockOf({}), {
    timezone: 'Asia/Riyadh',
    offset: '+03:00',
    now: '2026-11-21T10:00:00.250+03:00',
  })
})

test('daylight saving changes the offset to the minute', async () => {
  const offsets: string[] = []
  for (const moment of [
    '2026-03-29T00:59:59Z',
    '2026-03-29T01:00:00Z',
    '2026-10-25T00:59:59Z',
    '2026-10-25T01:00:00Z',
  ]) {
    now = new Date(moment)
    offsets.push((await clockOf({ timezone: 'Europe/Berlin' })).offset)
  }
  assert.deepEqual(offsets, ['+01:00', '+02:00', '+02:00', '+01:00'])
})

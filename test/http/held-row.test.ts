import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { webSessions } from '../../host/database/sessions.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createSchool, type InstalledApp, installApp } from '../support/school.ts'
import { startWeb, type TestWeb } from '../support/web.ts'

let database: TestDatabase
let web: TestWeb
let held: InstalledApp
let other: InstalledApp

before(async () => {
  database = await createTestDatabase()
  web = await startWeb(database)
  held = await installApp(database.admin, await createSchool(database.admin))
  other = await installApp(database.admin, await createSchool(database.admin))
})

after(async () => {
  await web?.close()
  await database?.drop()
})

const waiting = async () => {
  const { rows } = await database.admin.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows[0]!.count
}

test('writes of one school that wait for a row take half of the connections, and other schools are served', async () => {
  const patch = (id: string) =>
    web.call(`/apps/education/students/${id}`, { token: held.token, method: 'PATCH', body: { full_name: 'ليلى' } })
  const { body } = await web.call('/apps/education/students', {
    ...{ token: held.token, method: 'POST', body: { full_name: 'سارة' } },
  })
  const operator = await database.admin.connect()
  await operator.query('begin')
  await operator.query('select from core.students where id = $1 for update', [body.student.id])
  const patches = Array.from({ length: 2 * webSessions.core }, () => patch(body.student.id))
  try {
    for (const end = Date.now() + 4_000; (await waiting()) < webSessions.core / 2; ) assert.ok(Date.now() < end)
    assert.equal((await web.call('/apps/tenant/clock', { token: other.token })).status, 200)
    assert.equal(await waiting(), webSessions.core / 2)
  } finally {
    await operator.query('rollback')
    operator.release()
  }
  // On a slow machine some have waited for five seconds by now.
  for (const { status } of await Promise.all(patches)) assert.ok([200, 503].includes(status), `${status}`)
})

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { browse, createPerson, installModule, scriptedGuest, signIn } from '../pages/support.ts'
import { createTestDatabase } from '../support/database.ts'
import { createSchool } from '../support/school.ts'
import { startWeb } from '../support/web.ts'

const database = await createTestDatabase()
const web = await startWeb(database, { moduleCalls: scriptedGuest() })
after(async () => {
  await web.close()
  await database.drop()
})

const school = await createSchool(database.admin)
await installModule(database, school, 'library')
const browser = browse(web)
await signIn(browser, await createPerson(database, school))

const loseConnections = () =>
  database.admin.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and usename = $1',
    [database.connection.system.user],
  )

test('a valid session is never taken for none while connections to the database are lost and memories end', async () => {
  const statuses: Record<number, number> = {}
  for (let round = 0; round < 40; round++) {
    const asked = Array.from({ length: 50 }, () => browser.get('/m/library', { accept: 'application/json' }))
    await database.admin.query('update core.token_epoch set number = number + 1')
    if (round % 4 === 0) await loseConnections()
    for (const { status } of await Promise.all(asked)) statuses[status] = (statuses[status] ?? 0) + 1
  }
  assert.deepEqual(
    Object.keys(statuses).filter((status) => status !== '200' && Number(status) < 500),
    [],
  )
  assert.ok(statuses[200]! > 0)
})

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createPartner } from '../../host/lifecycle/partner-keys.ts'
import { browse, createPerson, signIn } from '../pages/support.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createSchool } from '../support/school.ts'
import { startWeb, type TestWeb } from '../support/web.ts'

let database: TestDatabase
let web: TestWeb

before(async () => {
  database = await createTestDatabase()
  web = await startWeb(database)
})
after(async () => {
  await web?.close()
  await database?.drop()
})

async function kept(path: string, headers: Record<string, string> = {}) {
  const answer = await web.call(path, { headers })
  return [answer.status, answer.headers.get('cache-control')]
}

test('no cache keeps what a school, a partner or an operator is told', async () => {
  const administrator = await createPerson(database, await createSchool(database.admin), { administrator: true })
  const browser = browse(web)
  await signIn(browser, administrator)
  const { cookie } = browser
  const { key } = await createPartner(database.admin, 'P')
  const authorization = `Bearer ${key}`
  assert.deepEqual(await kept('/partners/api/school/installations', { cookie }), [200, 'no-store'])
  assert.deepEqual(await kept('/partners/api/school/erasure-certificates', { cookie }), [200, 'no-store'])
  assert.deepEqual(await kept('/partners/api/apps', { authorization }), [200, 'no-store'])
  assert.deepEqual(await kept('/partners/api/apps/none/deliveries', { authorization }), [404, 'no-store'])
  assert.deepEqual(await kept('/partners/api/school/installations'), [401, 'no-store'])
  assert.deepEqual(await kept('/operator/sandbox'), [401, 'no-store'])
  assert.equal((await kept('/partners/api/partners/permissions/catalog'))[1], 'public, no-cache')
})

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createSchool, type InstalledApp, installApp } from '../support/school.ts'
import { startWeb, type TestWeb } from '../support/web.ts'

/** In place of the host's own limit, for which a test would wait. */
const short = { lock_timeout: 400 }
let database: TestDatabase
let web: TestWeb
let app: InstalledApp

before(async () => {
  database = await createTestDatabase()
  const { core, system } = database.connection
  const connection = { ...database.connection, core: { ...core, ...short }, system: { ...system, ...short } }
  web = await startWeb({ ...database, connection })
  app = await installApp(database.admin, await createSchool(database.admin))
})

after(async () => {
  await web?.close()
  await database?.drop()
})

/** An operator's session that has a table in its hands, as a forgotten `begin` of psql has. */
async function holding<Result>(table: string, work: () => Promise<Result>): Promise<Result> {
  const operator = await database.admin.connect()
  try {
    await operator.query(`begin; lock table core.${table}`)
    return await work()
  } finally {
    await operator.query('rollback')
    operator.release()
  }
}

/** More than a web process has connections. */
const many = 30
const bounded = { timeout: 20_000 }

test(
  'requests that a table held by an operator holds up end as 503, all others too, and are served when it is let go',
  bounded,
  async () => {
    const list = () => web.call('/apps/education/students', { token: app.token })
    const answers = await holding('students', () => Promise.all(Array.from({ length: many }, list)))
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([503]))
    for (const { headers, body } of answers) {
      assert.deepEqual([headers.get('retry-after'), body.error], ['1', 'unavailable'])
    }
    assert.deepEqual(
      new Set((await Promise.all(Array.from({ length: many }, list))).map(({ status }) => status)),
      new Set([200]),
    )
  },
)

test('so do those of somebody who is yet unknown', bounded, async () => {
  const { token } = await installApp(database.admin, await createSchool(database.admin))
  const whoami = () => web.call('/apps/whoami', { token })
  const answers = await holding('installation_tokens', () => Promise.all(Array.from({ length: many }, whoami)))
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([503]))
  assert.equal((await whoami()).status, 200)
})

test(
  'a held-up request with a key is no request in progress, and executes when it is sent again',
  bounded,
  async () => {
    const create = () =>
      web.call('/apps/education/students', {
        ...{ token: app.token, method: 'POST', body: { full_name: 'سارة' } },
        headers: { 'idempotency-key': 'held-up' },
      })
    assert.equal((await holding('students', create)).status, 503)
    assert.equal((await create()).status, 201)
  },
)

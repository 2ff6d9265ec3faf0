import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { ulid } from 'ulid'
import { createStrikes, liftStrikes } from '../../host/embedded-apps/strikes.ts'
import type { Installation } from '../../host/isolates/client/types.ts'
import { installModule } from '../pages/support.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createSchool } from '../support/school.ts'

let database: TestDatabase
let system: pg.Pool
let now = new Date('2026-11-21T08:00:00Z')
const minutes = (count: number) => {
  now = new Date(now.getTime() + count * 60_000)
}

before(async () => {
  database = await createTestDatabase()
  system = new pg.Pool({ ...database.connection.system, max: 2 })
})
after(async () => {
  await system?.end()
  await database?.drop()
})

/** One module, installed at as many schools. */
async function installed(slug: string, schools: number): Promise<Installation[]> {
  const [first, ...others] = await Promise.all(Array.from({ length: schools }, () => createSchool(database.admin)))
  await installModule(database, first!, slug)
  for (const { id } of others)
    await database.admin.query(
      `insert into core.installations (tenant_id, id, app_id, version_id, granted_scopes, rate_limited)
        select $1, $2, app_id, version_id, '{}', false from core.installations i join core.apps a on a.id = i.app_id
        where a.slug = $3 limit 1`,
      [id, ulid(), slug],
    )
  const { rows } = await database.admin.query<{ tenant_id: string; id: string; version_id: string }>(
    'select i.tenant_id, i.id, i.version_id from core.installations i join core.apps a on a.id = i.app_id where a.slug = $1',
    [slug],
  )
  return rows.map(({ tenant_id, id, version_id }) => ({ tenantId: tenant_id, id, app: slug, version: version_id }))
}

/** The pool, with word of each statement that was answered. */
const watched = (onAnswered: (text: string) => void) =>
  ({
    async query(text: string, values: unknown[]) {
      const answer = await system.query(text, values)
      onAnswered(text)
      return answer
    },
  }) as pg.Pool

/** Returns when each strike was counted: a count that still runs would see those of a later hour of the test. */
async function strike(installation: Installation, times: number, onAnswered = (_text: string) => {}): Promise<void> {
  for (let time = 0; time < times; time++) {
    const counted = Promise.withResolvers<void>()
    const pool = watched((text) => {
      if (text.startsWith('select count')) counted.resolve()
      onAnswered(text)
    })
    createStrikes(
      pool,
      () => now,
      (error) => assert.fail(String(error)),
    ).record(installation, 'unresponsive')
    await counted.promise
  }
}

const stopped = async ({ id, app }: Installation) => {
  const { rows } = await database.admin.query(
    `select i.status, a.disabled_reason is not null as everywhere
      from core.installations i join core.apps a on a.id = i.app_id where i.id = $1 and a.slug = $2`,
    [id, app],
  )
  return [rows[0].status, rows[0].everywhere]
}

/** What follows the third strike is written a moment after it. */
async function becomes(installation: Installation, expected: [string, boolean]): Promise<void> {
  for (const end = Date.now() + 10_000; Date.now() < end; await pause(10))
    if (String(await stopped(installation)) === String(expected)) return
  assert.deepEqual(await stopped(installation), expected)
}

test('strikes further apart than ten minutes are forgotten; three within them stop the installation', async () => {
  const [school] = await installed('burner', 1)
  await strike(school!, 2)
  minutes(11)
  await strike(school!, 2)
  assert.deepEqual(await stopped(school!), ['active', false])
  await strike(school!, 1)
  await becomes(school!, ['disabled', false])
})

test('one school that installs a stopped module again and again does not stop it everywhere', async () => {
  let [again] = await installed('returner', 1)
  const elsewhere = Promise.withResolvers<void>()
  let decided = 0
  const onAnswered = (text: string) => {
    if (text.startsWith('update core.apps') && ++decided === 3) elsewhere.resolve()
  }
  for (let time = 1; time <= 3; time++) {
    await strike(again!, 3, onAnswered)
    await becomes(again!, ['disabled', false])
    if (time === 3) break
    const { id, tenantId } = again!
    await database.admin.query(`update core.installations set status = 'uninstalled' where id = $1`, [id])
    again = { ...again!, id: ulid() }
    await database.admin.query(
      `insert into core.installations (tenant_id, id, app_id, version_id, granted_scopes, rate_limited)
        select tenant_id, $3, app_id, version_id, '{}', false from core.installations where tenant_id = $1 and id = $2`,
      [tenantId, id, again.id],
    )
  }
  await elsewhere.promise
  assert.deepEqual(await stopped(again!), ['disabled', false])
})

test('three schools that a module was stopped at stop it everywhere, until an operator lifts it', async () => {
  const schools = await installed('arsonist', 4)
  for (const school of schools.slice(0, 3)) {
    assert.deepEqual(await stopped(schools[3]!), ['active', false])
    await strike(school, 3)
    await becomes(school, ['disabled', school === schools[2]])
    minutes(60)
  }
  assert.deepEqual(await stopped(schools[3]!), ['active', true])
  const lifted = await liftStrikes(system, { slug: 'arsonist', tenantId: null })
  assert.deepEqual([lifted.app, lifted.tenants.length], [true, 3])
  for (const school of schools) assert.deepEqual(await stopped(school), ['active', false])
})

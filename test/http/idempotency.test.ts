import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { after, before, test } from 'node:test'
import { untilConfirmed } from '../../host/security/token-epoch.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createSchool, type InstalledApp, installApp } from '../support/school.ts'
import { startWeb, type TestWeb } from '../support/web.ts'
import { startWebProcess, type WebProcess } from './support/web-process.ts'

let database: TestDatabase
let web: TestWeb
let processes: WebProcess[]
let app: InstalledApp
let now = new Date('2026-11-21T07:00:00Z')

before(async () => {
  database = await createTestDatabase()
  web = await startWeb(database, { clock: () => now })
  processes = await Promise.all([startWebProcess(database), startWebProcess(database)])
})

after(async () => {
  await web?.close()
  await Promise.all((processes ?? []).map((one) => one.stop()))
  await database?.drop()
})

async function freshApp(options: Parameters<typeof installApp>[2] = {}) {
  app = await installApp(database.admin, await createSchool(database.admin), options)
}

const post = (key: string, body: unknown, path = '/education/students', method = 'POST') =>
  web.call(`/apps${path}`, { token: app.token, method, body, headers: { 'idempotency-key': key } })

async function studentCount(): Promise<number> {
  const { rows } = await database.admin.query('select count(*)::int as n from core.students where tenant_id = $1', [
    app.tenantId,
  ])
  return rows[0].n
}

test('the same request again is answered from the store and executes nothing', async () => {
  await freshApp()
  const first = await post('k', { full_name: 'A', gender: 'male' })
  const again = await post('k', { gender: 'male', full_name: 'A' })
  assert.deepEqual([first.status, again.status], [201, 201])
  assert.deepEqual(again.body, first.body)
  assert.deepEqual(
    [first.headers.get('idempotency-replayed'), again.headers.get('idempotency-replayed')],
    [null, 'true'],
  )
  assert.equal(await studentCount(), 1)
})

test('the same key with another body, path or method is a conflict', async () => {
  await freshApp()
  const { body } = await post('k', { full_name: 'A' })
  for (const conflict of [
    await post('k', { full_name: 'B' }),
    await post('k', { full_name: 'A' }, '/employees/directory'),
    await post('k', { full_name: 'A' }, `/education/students/${body.student.id}`, 'PATCH'),
  ]) {
    assert.deepEqual([conflict.status, conflict.body.error], [409, 'idempotency_conflict'])
  }
  assert.equal(await studentCount(), 1)
})

test('a key belongs to one installation', async () => {
  const school = await createSchool(database.admin)
  const apps = [await installApp(database.admin, school), await installApp(database.admin, school)]
  const send = async ({ token }: InstalledApp, fullName: string) => {
    const body = { full_name: fullName }
    return web.call('/apps/education/students', { token, method: 'POST', body, headers: { 'idempotency-key': 'k' } })
  }
  const names = ['Of one', 'Of another']
  const ids: string[] = []
  for (const [index, name] of names.entries()) ids.push((await send(apps[index]!, name)).body.student.id)
  assert.notEqual(ids[0], ids[1])
  for (const [index, name] of names.entries())
    assert.equal((await send(apps[index]!, name)).body.student?.id, ids[index], name)
})

test('after 24 hours a key is free again', async () => {
  await freshApp()
  const began = now
  const first = await post('k', { full_name: 'A' })
  now = new Date(began.getTime() + 24 * 3_600_000 - 1)
  assert.deepEqual((await post('k', { full_name: 'A' })).body, first.body)
  now = new Date(began.getTime() + 24 * 3_600_000)
  const other = await post('k', { full_name: 'B' })
  assert.deepEqual([other.status, other.body.student.full_name], [201, 'B'])
  assert.equal((await post('k', { full_name: 'A' })).status, 409)
  assert.equal(await studentCount(), 2)
})

test('refusals of the request itself are stored, whatever refused it', async () => {
  await freshApp()
  const id = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
  const refused: [string, unknown, string, string, number][] = [
    ['schema', { full_name: '' }, '/education/students', 'POST', 422],
    ['reference', { full_name: 'A', guardian_id: id }, '/education/students', 'POST', 422],
    ['absent', { full_name: 'A' }, `/education/students/${id}`, 'PATCH', 404],
  ]
  for (const [key, body, path, method, status] of refused) {
    const first = await post(key, body, path, method)
    const again = await post(key, body, path, method)
    assert.deepEqual(
      [first.status, again.status, again.headers.get('idempotency-replayed')],
      [status, status, 'true'],
      key,
    )
    assert.deepEqual(again.body, first.body)
    assert.equal((await post(key, { ...(body as object), full_name: 'Z' }, path, method)).status, 409)
  }
})

test('a missing scope is not stored: once it is granted the request runs', async () => {
  await freshApp({ scopes: [] })
  assert.equal((await post('k', { full_name: 'A' })).status, 403)
  await database.admin.query(
    `update core.installations set granted_scopes = '{education.students.write}' where id = $1`,
    [app.installationId],
  )
  let status = 403
  for (let i = 0; i < 100 && status === 403; i++) {
    status = (await post('k', { full_name: 'A' })).status
    if (status === 403) await sleep(10)
  }
  assert.equal(status, 201)
})

test('an answer is not given again to an app that the school took the scope from', async () => {
  await freshApp({ scopes: ['education.students.write'], rateLimited: true })
  assert.equal((await post('k', { full_name: 'A' })).status, 201)
  await database.admin.query(`update core.installations set granted_scopes = '{}' where id = $1`, [app.installationId])
  await untilConfirmed(database.admin)
  const { status, body, headers } = await post('k', { full_name: 'A' })
  assert.deepEqual([status, body.error, body.scope], [403, 'scope_not_granted', 'education.students.write'])
  assert.equal(headers.get('x-ratelimit-remaining'), '58', 'it counts')
})

test('a key must be 1 to 255 visible ASCII characters', async () => {
  await freshApp()
  for (const key of ['a b', 'x'.repeat(256), 'é']) {
    const { status, body } = await post(key, { full_name: 'A' })
    assert.deepEqual([status, body.error], [400, 'bad_request'], key)
  }
  assert.equal((await post('~'.repeat(255), { full_name: 'A' })).status, 201)
})

const postTo = (url: string, key: string, body: unknown) =>
  fetch(`${url}/apps/education/students`, {
    method: 'POST',
    headers: { authorization: `Bearer ${app.token}`, 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify(body),
  })

test('of fifty at once with one key, over several processes, exactly one executes', async () => {
  now = new Date() // the other processes keep the real time
  for (const rateLimited of [false, true]) {
    await freshApp({ rateLimited })
    const body = { full_name: 'A' }
    const urls = [web.url, ...processes.map(({ url }) => url)]
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => postTo(urls[n % 3]!, 'k', body)))
    const bodies = await Promise.all(answers.map((answer) => answer.text()))
    assert.equal(await studentCount(), 1)
    const executed = answers.filter(({ status, headers }) => status === 201 && !headers.has('idempotency-replayed'))
    assert.equal(executed.length, 1)
    for (const [n, { status, headers }] of answers.entries()) {
      if (status === 409) assert.equal(headers.get('retry-after'), '1')
      else assert.deepEqual([status, bodies[n]], [201, bodies[answers.indexOf(executed[0]!)]])
    }
  }
})

test('a request waits for the first with its key, and is told so when that takes too long', async () => {
  await freshApp()
  const client = await database.admin.connect()
  await client.query('begin')
  await client.query(
    `insert into core.idempotency_keys (tenant_id, installation_id, key, fingerprint, created_at) values ($1, $2, 'k', 'x', now())`,
    [app.tenantId, app.installationId],
  )
  const answer = await post('k', { full_name: 'A' })
  await client.query('rollback')
  client.release()
  assert.deepEqual(
    [answer.status, answer.body.error, answer.headers.get('retry-after')],
    [409, 'idempotency_in_progress', '1'],
  )
  assert.equal((await post('k', { full_name: 'A' })).status, 201)
})

test('what a request with a key changes waits for a lock as long as without', async (t) => {
  await freshApp()
  await database.admin.query(`create function core.tell_limit() returns trigger language plpgsql as
      $$ begin new.full_name := current_setting('lock_timeout'); return new; end $$;
    create trigger tell_limit before insert on core.students for each row execute function core.tell_limit()`)
  t.after(() => database.admin.query('drop function core.tell_limit cascade'))
  const limitOf = async (headers: Record<string, string>) => {
    const asked = { ...{ token: app.token, method: 'POST', headers }, body: { full_name: 'A' } }
    return (await web.call('/apps/education/students', asked)).body.student.full_name
  }
  assert.deepEqual([await limitOf({}), await limitOf({ 'idempotency-key': 'k' })], ['5s', '5s'])
})

test('a process killed in the middle leaves both the key and the record, or neither', async () => {
  await freshApp()
  for (let round = 0; round < 4; round++) {
    const victim = await startWebProcess(database)
    const gone = new Promise((resolve) => victim.child.once('exit', resolve))
    const sent = Array.from({ length: 40 }, (_, n) =>
      postTo(victim.url, `kill-${round}-${n}`, { full_name: `${round}-${n}` }).catch(() => null),
    )
    await Promise.race(sent.slice(0, 1 + round * 8))
    victim.child.kill('SIGKILL')
    await Promise.all([gone, ...sent])
  }
  const { rows } = await database.admin.query(
    `select count(*)::int as n from core.idempotency_keys k full join core.students s
      on s.tenant_id = k.tenant_id and s.full_name = substr(k.key, 6)
      where coalesce(k.tenant_id, s.tenant_id) = $1 and (k.key is null or s.id is null or k.status is distinct from 201)`,
    [app.tenantId],
  )
  assert.equal(rows[0].n, 0)
  const repeated = await Promise.all(Array.from({ length: 40 }, (_, n) => post(`kill-3-${n}`, { full_name: `3-${n}` })))
  assert.ok(repeated.every(({ status }) => status === 201))
  const { rows: counted } = await database.admin.query(
    'select full_name from core.students where tenant_id = $1 group by 1 having count(*) > 1',
    [app.tenantId],
  )
  assert.deepEqual(counted, [])
})

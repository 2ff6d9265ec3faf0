import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createSchool, type InstalledApp, installApp } from '../support/school.ts'
import { type CallOptions, startWeb, type TestWeb } from '../support/web.ts'

let database: TestDatabase
let webs: TestWeb[]
let now = new Date('2026-11-21T07:00:20Z')

before(async () => {
  database = await createTestDatabase()
  webs = await Promise.all([0, 1, 2].map(() => startWeb(database, { clock: () => now })))
})

after(async () => {
  await Promise.all((webs ?? []).map((web) => web.close()))
  await database?.drop()
})

const limited = async (options: Parameters<typeof installApp>[2] = {}): Promise<InstalledApp> =>
  installApp(database.admin, await createSchool(database.admin), { rateLimited: true, ...options })

const remaining = (answer: { headers: Headers }) => Number(answer.headers.get('x-ratelimit-remaining'))

test('exactly sixty of a minute are served over all processes, reads and writes together', async () => {
  const app = await limited()
  const other = await limited()
  const send = (n: number) => {
    const write: CallOptions = { method: 'POST', body: { full_name: `S${n}` } }
    const options = n % 3 === 0 ? write : {}
    const path = n % 3 === 2 ? '/apps/whoami' : '/apps/education/students'
    return webs[n % webs.length === 0 ? 0 : (n >> 1) % 3]!.call(path, { token: app.token, ...options })
  }
  const answers = await Promise.all(Array.from({ length: 150 }, (_, n) => send(n)))
  const served = answers.filter(({ status }) => status < 300)
  assert.equal(served.length, 60)
  assert.deepEqual(
    served.map(remaining).sort((a, b) => a - b),
    Array.from({ length: 60 }, (_, n) => n),
  )
  for (const answer of answers.filter(({ status }) => status >= 300)) {
    assert.deepEqual([answer.status, answer.body.error, answer.headers.get('retry-after')], [429, 'rate_limited', '40'])
    assert.deepEqual([answer.headers.get('x-ratelimit-limit'), remaining(answer)], ['60', 0])
  }
  const { rows } = await database.admin.query('select count(*)::int as n from core.students where tenant_id = $1', [
    app.tenantId,
  ])
  assert.equal(rows[0].n, served.filter(({ status }) => status === 201).length)
  assert.equal(remaining(await webs[0]!.call('/apps/whoami', { token: other.token })), 59)
  now = new Date('2026-11-21T07:01:00Z')
  assert.equal(remaining(await webs[1]!.call('/apps/whoami', { token: app.token })), 59)
})

test('every refused request counts, and shows the headers', async () => {
  const app = await limited({ scopes: ['education.students.read', 'education.students.write'] })
  const id = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
  const refusals: [number, string, CallOptions][] = [
    [403, '/apps/education/guardians', {}],
    [403, '/apps/education/guardians', { method: 'POST', body: {} }],
    [404, `/apps/education/students/${id}`, {}],
    [404, `/apps/education/students/${id}`, { method: 'PATCH', body: {} }],
    [422, '/apps/education/students?page=0', {}],
    [422, '/apps/education/students', { method: 'POST', body: {} }],
    [422, '/apps/education/students', { method: 'POST', body: { full_name: 'A', guardian_id: id } }],
    [
      422,
      '/apps/education/students',
      { method: 'POST', body: { full_name: 'A', guardian_id: id }, headers: { 'idempotency-key': 'k' } },
    ],
    [
      422,
      '/apps/education/students',
      { method: 'POST', body: { full_name: 'A', guardian_id: id }, headers: { 'idempotency-key': 'k' } },
    ],
    [
      409,
      '/apps/education/students',
      { method: 'POST', body: { full_name: 'B' }, headers: { 'idempotency-key': 'k' } },
    ],
    [400, '/apps/education/students', { method: 'POST', body: '{' }],
    [400, '/apps/education/students', { method: 'POST', body: {}, headers: { 'idempotency-key': 'a b' } }],
    [415, '/apps/education/students', { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } }],
    [413, '/apps/education/students', { method: 'POST', body: 'x'.repeat(1_048_577) }],
    [404, '/apps/nowhere', {}],
    [404, `/apps/education/students/${'a'.repeat(8_000)}`, {}],
    [404, '/apps/education/students/%00', {}],
    [400, '/apps/education/students/%zz', {}],
    [400, '/apps/%ff', { method: 'PUT' }],
    [405, '/apps/education/students', { method: 'PUT', body: '{' }],
  ]
  for (const [index, [status, path, options]] of refusals.entries()) {
    const answer = await webs[index % 3]!.call(path, { token: app.token, ...options })
    assert.deepEqual([answer.status, remaining(answer)], [status, 59 - index], `${status} ${path}`)
  }
})

test('refused requests at once never let more than sixty through', async () => {
  const app = await limited()
  const answers = await Promise.all(
    Array.from({ length: 120 }, (_, n) =>
      webs[n % 3]!.call('/apps/education/students', {
        token: app.token,
        method: 'POST',
        body: { full_name: 'A', ...(n % 2 ? { guardian_id: '01ARZ3NDEKTSV4RRFFQ69G5FAV' } : {}) },
      }),
    ),
  )
  assert.equal(answers.filter(({ status }) => status !== 429).length, 60)
  assert.ok(answers.every(({ status }) => [201, 422, 429].includes(status)))
})

test('a write whose idempotency key is free again after a day counts once', async () => {
  const app = await limited()
  const send = () =>
    webs[0]!.call('/apps/education/students', {
      ...{ token: app.token, method: 'POST', body: { full_name: 'A' } },
      headers: { 'idempotency-key': 'of-yesterday' },
    })
  assert.equal(remaining(await send()), 59)
  now = new Date(now.getTime() + 24 * 3_600_000)
  for (let used = 1; used < 60; used++) await webs[1]!.call('/apps/whoami', { token: app.token })
  const answer = await send()
  assert.deepEqual([answer.status, remaining(answer)], [201, 0])
})

test('an installation without a limit shows no such headers', async () => {
  const app = await limited({ rateLimited: false })
  const answer = await webs[0]!.call('/apps/whoami', { token: app.token })
  assert.equal(answer.headers.get('x-ratelimit-limit'), null)
})

test('a clock that goes back, or is behind another host’s, gives no request more', async () => {
  const app = await limited()
  const send = async () => (await webs[0]!.call('/apps/whoami', { token: app.token })).status
  const ahead = now
  const statuses: number[] = []
  for (let sent = 0; sent < 62; sent++) {
    now = new Date(ahead.getTime() - (sent % 2) * 60_000)
    statuses.push(await send())
  }
  now = ahead
  assert.equal(statuses.filter((status) => status === 200).length, 60)
})

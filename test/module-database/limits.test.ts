import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openDatabase, provisionWithNotes, startTestServer, type TestServer, tenantA, tenantB } from './support.ts'

let server: TestServer
/** Burns time only. */
const endless = 'select count(*) from generate_series(1, 1000000) a, generate_series(1, 1000000) b'
const alpha = { slug: 'alpha', sandbox: false }

before(async () => {
  server = await startTestServer()
  await provisionWithNotes(server, 'alpha')
})
after(() => server.stop())

/** How much later than `limitMs` a statement that would run on is stopped. */
async function lagOf(text: string, limitMs: number): Promise<number> {
  const database = openDatabase(server, { limits: { statementMs: limitMs } })
  await database.rows(alpha, tenantA, { text: 'select 1' })
  const start = performance.now()
  await assert.rejects(database.rows(alpha, tenantA, { text }), { code: /^(timeout|sql_error)$/ }, text)
  const lag = performance.now() - start - limitMs
  database.close()
  return lag
}

test('what burns time or memory is stopped within 0.2 s of its limit, from outside', async () => {
  for (const text of [
    'select count(*) from generate_series(1, 100000000000)',
    `with recursive r(n) as (select repeat('x', 1000) union all select repeat('x', 1000) from r) select sum(length(n)) from (select n from r order by n) z`,
    `select length(string_agg(repeat('x', 1000000), '')) from generate_series(1, 900)`,
    'select factorial(30000)',
    "select length(format('%1000000000s', ''))",
  ]) {
    const lag = await lagOf(text, 150)
    assert.ok(lag <= 200, `${text}: ${Math.round(lag)} ms`)
  }
})

test("the host's limit holds where a statement lifted the server's", async () => {
  const database = openDatabase(server, { limits: { statementMs: 200 }, pools: { perRole: 1 } })
  await database.rows(alpha, tenantA, { text: `set statement_timeout = 0` })
  await assert.rejects(database.rows(alpha, tenantA, { text: endless }), { code: 'timeout' })
  assert.equal(await database.rows(alpha, tenantB, { text: `select 1 as n` }), '[{"n":1}]')
  database.close()
})

test('a result that is too large is refused, and the host holds little of it', async () => {
  const database = openDatabase(server, { limits: { statementMs: 20_000 } })
  const before = process.memoryUsage.rss()
  await assert.rejects(
    database.rows(alpha, tenantA, { text: `select repeat('x', 1000) as x from generate_series(1, 100000)` }),
    { code: 'result_too_large' },
  )
  await assert.rejects(database.rows(alpha, tenantA, { text: `select repeat('x', 20000000) as x` }), {
    code: 'result_too_large',
  })
  await assert.rejects(database.rows(alpha, tenantA, { text: 'select 1 as n from generate_series(1, 10001)' }), {
    code: 'result_too_large',
  })
  assert.ok(process.memoryUsage.rss() - before < 400_000_000)
  assert.equal(
    JSON.parse(await database.rows(alpha, tenantA, { text: 'select 1 as n from generate_series(1, 10000)' })).length,
    10_000,
  )
  database.close()
})

test('more than may come over the wire is no result, however small what is kept of it', async () => {
  const database = openDatabase(server, { limits: { maxSocketBytes: 100_000 } })
  const large = { text: `select repeat('x', 200000) as x` }
  await assert.rejects(database.rows(alpha, tenantA, large), { code: 'result_too_large' })
  await assert.rejects(database.execute(alpha, tenantA, large), { code: 'result_too_large' })
  database.close()
})

test("what the host's own sessions ask of the server holds for no module's", async () => {
  const connection = { ...server.connection, options: '-c statement_timeout=0 -c work_mem=64MB' }
  const database = openDatabase(server, { connection })
  assert.equal(await database.rows(alpha, tenantA, { text: 'show statement_timeout' }), '[{"statement_timeout":"2s"}]')
  database.close()
})

test('a result of exactly what is allowed comes whole', async () => {
  const database = openDatabase(server, { limits: { maxResultBytes: 1_000 } })
  const fitting = 1_000 - '[{"x":""}]'.length
  assert.equal(
    (await database.rows(alpha, tenantA, { text: 'select repeat($1, $2::int) as x', values: ['y', fitting] })).length,
    1_000,
  )
  await assert.rejects(
    database.rows(alpha, tenantA, { text: 'select repeat($1, $2::int) as x', values: ['y', fitting + 1] }),
    { code: 'result_too_large' },
  )
  await assert.rejects(
    database.rows(alpha, tenantA, { text: 'select repeat($1, $2::int) as x', values: ['ü', fitting - 1] }),
    { code: 'result_too_large' },
  )
  database.close()
})

test('one tenant gets at most half of a pool, and the other is served meanwhile', async () => {
  const database = openDatabase(server, { pools: { perRole: 4, waitMs: 1_000 }, limits: { statementMs: 400 } })
  const burning = Array.from({ length: 8 }, () =>
    database.rows(alpha, tenantA, { text: endless }).catch((error) => error.code),
  )
  const start = performance.now()
  assert.equal(await database.rows(alpha, tenantB, { text: 'select 1 as n' }), '[{"n":1}]')
  assert.ok(performance.now() - start < 300)
  const sessions = await server.superuser.query(
    `select count(*)::int as n from pg_stat_activity where state = 'active' and query = $1`,
    [endless],
  )
  assert.ok(sessions.rows[0].n <= 2, String(sessions.rows[0].n))
  const codes = await Promise.all(burning)
  assert.deepEqual([...new Set(codes)].sort(), ['timeout', 'unavailable'])
  database.close()
})

test('overload is answered with `unavailable` at once', async () => {
  const database = openDatabase(server, {
    pools: { perRole: 2, queue: 4 * 4_096, waitMs: 5_000 },
    limits: { statementMs: 300 },
  })
  const calls = Array.from({ length: 6 }, () =>
    database.rows(alpha, tenantA, { text: endless }).catch((error) => error.code),
  )
  assert.equal(await Promise.race(calls), 'unavailable')
  const codes = await Promise.all(calls)
  assert.equal(codes.filter((code) => code === 'unavailable').length, 3)
  database.close()
})

test('sessions of idle modules make room for others', async () => {
  await provisionWithNotes(server, 'beta')
  const database = openDatabase(server, { pools: { perRole: 2, total: 1 } })
  for (const slug of ['alpha', 'beta', 'alpha']) {
    assert.equal(
      await database.rows({ slug, sandbox: false }, tenantA, { text: 'select current_user as who' }),
      `[{"who":"m_${slug}_rt"}]`,
    )
  }
  database.close()
})

test('a session that the server ended costs one call at most', async () => {
  const database = openDatabase(server, { pools: { perRole: 1 } })
  await database.rows(alpha, tenantA, { text: 'select 1' })
  await server.superuser.query(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'm_alpha_rt'`)
  await database.rows(alpha, tenantA, { text: 'select 1' }).catch((error) => assert.equal(error.code, 'unavailable'))
  assert.equal(await database.rows(alpha, tenantA, { text: 'select 1 as n' }), '[{"n":1}]')
  database.close()
})

test('a change that answers too much is made whole, and the error says so', async () => {
  const database = openDatabase(server, { limits: { maxResultBytes: 1_000, maxRows: 10 } })
  const text = `insert into note (id) select 'many' || n from generate_series(1, 300) n returning id`
  await assert.rejects(database.rows(alpha, tenantA, { text }), {
    code: 'result_too_large',
    message: /rows were changed/,
  })
  assert.equal(await database.rows(alpha, tenantA, { text: 'select count(*) as n from note' }), '[{"n":300}]')
  for (const [change, left] of [
    ['delete from note', 0],
    [`insert/**/into note (id) values ('commented')`, 1],
    ['delete -- all\n from note', 0],
  ] as const) {
    const within = `with changed as (${change}) select n from generate_series(1, 300) n`
    await assert.rejects(database.rows(alpha, tenantA, { text: within }), {
      code: 'result_too_large',
      message: /rows were changed/,
    })
    assert.equal(await database.rows(alpha, tenantA, { text: 'select count(*) as n from note' }), `[{"n":${left}}]`)
  }
  database.close()
})

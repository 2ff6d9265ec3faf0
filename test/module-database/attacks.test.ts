import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { createStatementGuard } from '../../host/module-database/statement-guard.ts'
import { checkSql, loadGuard } from '../../policy/sql/guard.ts'
import { createGuard } from '../../policy/sql/worker.ts'
import {
  asOwner,
  openDatabase,
  provisionWithNotes,
  startTestServer,
  type TestServer,
  tenantA,
  tenantB,
} from './support.ts'

/** `guard`: the rule that refuses it. `server`: with what the server does, the guard aside. */
type Attack = { what: string; sql: string; guard?: string; server?: string }
const attacks = JSON.parse(
  readFileSync(new URL('../policy/sql/fixtures/attacks.json', import.meta.url), 'utf8'),
) as Attack[]

const module = { slug: 'alpha', sandbox: false }
let server: TestServer
before(async () => {
  await loadGuard()
  server = await startTestServer()
  await provisionWithNotes(server, 'alpha')
  await provisionWithNotes(server, 'beta')
  const numbers = `
    create table numbers (id bigserial, tenant_id text not null default gate.tenant(), primary key (tenant_id, id));
    alter table numbers enable row level security;
    alter table numbers force row level security;
    create policy tenant on numbers using (tenant_id = (select gate.tenant())) with check (tenant_id = (select gate.tenant()))`
  await asOwner(server, 'alpha', 'live', numbers)
  await asOwner(server, 'beta', 'live', numbers)
  await server.superuser.query(
    `insert into m_alpha.note (id, body, tenant_id) values ('a', 'own', '${tenantA}'), ('b', 'foreign-row', '${tenantB}');
    insert into m_beta.note (id, body, tenant_id) values ('c', 'foreign-row', '${tenantA}')`,
  )
})
after(() => server.stop())

test('the guard refuses each by the rule that is meant for it', () => {
  for (const { what, sql, guard } of attacks) {
    if (!guard) continue
    const verdict = checkSql(sql, { profile: 'runtime', schema: 'm_alpha' })
    assert.equal(verdict.ok ? 'allowed' : verdict.refusal.rule, guard, `${what}: ${sql}`)
  }
})

test('without the guard the server gives no other row, file, role or session away, and stops what does not end', async () => {
  const database = openDatabase(server, { limits: { statementMs: 200 } })
  for (const { what, sql, server: expected } of attacks) {
    const start = performance.now()
    const outcome: string = await database
      .rows(module, tenantA, { text: sql })
      .catch((error) => `${error.name} ${error.code} ${error.message}`)
    assert.ok(!/foreign-row|root:x|SCRAM/.test(outcome), `${what}: ${outcome}`)
    if (expected === 'stopped')
      assert.match(outcome, / (timeout|sql_error|result_too_large) /, `${what}: ${outcome.slice(0, 200)}`)
    if (expected === 'no right') assert.match(outcome, /no right to do this/, `${what}: ${outcome}`)
    assert.ok(performance.now() - start < 5_000, `${what} took ${Math.round(performance.now() - start)} ms`)
  }
  assert.equal(await database.rows(module, tenantA, { text: 'select id from note' }), '[{"id":"a"}]')
  database.close()
  const { rows } = await server.superuser.query(
    `select (select count(*)::int from pg_locks where locktype = 'advisory') as locks,
      (select count(*)::int from pg_class where relname = 'stolen') as stolen,
      (select last_value::int from m_beta.numbers_id_seq) as drawn`,
  )
  assert.deepEqual(rows[0], { locks: 0, stolen: 0, drawn: 1 })
})

test("numbers drawn by another tenant in the same session cannot be asked for; one's own come by RETURNING", async () => {
  const guard = createGuard()
  const database = openDatabase(server, { guard: createStatementGuard(guard), pools: { perRole: 1 } })
  const insert = { text: 'insert into numbers default values returning id' }
  await database.rows(module, tenantB, insert)
  for (const text of ['select lastval()', `select currval('numbers_id_seq')`])
    await assert.rejects(database.rows(module, tenantA, { text }), { code: 'sql_refused' })
  assert.match(await database.rows(module, tenantA, insert), /"id"/)
  database.close()
  const bare = openDatabase(server, { pools: { perRole: 1 } })
  await bare.rows(module, tenantB, insert)
  for (const text of ['select lastval()', `select currval('numbers_id_seq')`])
    await assert.rejects(bare.rows(module, tenantA, { text }), /no right to do this/, text)
  bare.close()
  await guard.close()
})

test('what is long or deep is judged or refused in bounded time, and the next text is judged as ever', async () => {
  const guard = createGuard()
  const options = { profile: 'runtime', schema: 'm_alpha' } as const
  const long = (count: number, item: string) => Array.from({ length: count }, () => item).join(',')
  for (const text of [
    `select 1 from note where id in (${long(16_000, `'a'`)})`,
    `select ${'('.repeat(30_000)}1${')'.repeat(30_000)}`,
    `select ${'not '.repeat(15_000)}true`,
    `select ${'case when true then '.repeat(3_000)}1${' end'.repeat(3_000)}`,
    `select 1${' union select 1'.repeat(4_000)}`,
    `${'select * from ('.repeat(3_000)}select 1${') x'.repeat(3_000)}`,
    `select ${'array['.repeat(9_000)}1${']'.repeat(9_000)}`,
    `with ${long(1_500, 'a as (select 1)')} select 1`,
    `select ${'-'.repeat(3)}\n${'+ '.repeat(30_000)}1`,
    `select '${'x'.repeat(65_000)}'::text`,
  ]) {
    const start = performance.now()
    await guard.check(text, options)
    assert.ok(performance.now() - start < 10_000, text.slice(0, 60))
    assert.equal((await guard.check(`select ${performance.now()}::float8`, options)).ok, true)
  }
  await guard.close()
})

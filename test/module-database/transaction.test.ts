import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ModuleDatabase } from '../../host/module-database/module-database.ts'
import {
  asOwner,
  openDatabase,
  provisionWithNotes,
  startTestServer,
  type TestServer,
  tenantA,
  tenantB,
} from './support.ts'

let server: TestServer
let database: ModuleDatabase
const alpha = { slug: 'alpha', sandbox: false }

before(async () => {
  server = await startTestServer()
  await provisionWithNotes(server, 'alpha')
  database = openDatabase(server)
})
after(async () => {
  database.close()
  await server.stop()
})

const add = (id: string) => ({ text: 'insert into note (id) values ($1)', values: [id] })
const ids = async (tenant = tenantA) =>
  JSON.parse(await database.rows(alpha, tenant, { text: 'select id from note order by id' })).map(
    (row: { id: string }) => row.id,
  )

test('a committed transaction keeps all, a rolled back one nothing', async () => {
  const kept = await database.transaction(alpha, tenantA)
  await kept.execute(add('1'))
  assert.equal(await kept.rows({ text: 'select id from note' }), '[{"id":"1"}]')
  await kept.commit()
  const dropped = await database.transaction(alpha, tenantA)
  await dropped.execute(add('2'))
  await dropped.rollback()
  await dropped.rollback()
  assert.deepEqual(await ids(), ['1'])
  assert.deepEqual(await ids(tenantB), [])
})

test('after a failed statement a commit keeps nothing and says so', async () => {
  const transaction = await database.transaction(alpha, tenantA)
  await transaction.execute(add('3'))
  await assert.rejects(transaction.execute(add('3')), { code: 'unique_violation' })
  await assert.rejects(transaction.execute(add('4')), { code: 'sql_error', message: /roll it back/ })
  await assert.rejects(transaction.commit(), { code: 'sql_error', message: /nothing was kept/ })
  assert.deepEqual(await ids(), ['1'])
})

test('statements that are not awaited run one after the other', async () => {
  const transaction = await database.transaction(alpha, tenantA)
  await Promise.all(['5', '6', '7'].map((id) => transaction.execute(add(id))))
  await transaction.commit()
  assert.deepEqual(await ids(), ['1', '5', '6', '7'])
})

test('a transaction that nobody ends is ended, and its session does not come back', async () => {
  const short = openDatabase(server, { limits: { transactionMs: 100 }, pools: { perRole: 2 } })
  const transaction = await short.transaction(alpha, tenantA)
  await transaction.execute(add('8'))
  await new Promise((done) => setTimeout(done, 150))
  await assert.rejects(transaction.execute(add('9')), { code: 'timeout' })
  await assert.rejects(transaction.commit(), { code: 'timeout' })
  await transaction.rollback()
  assert.equal(await short.rows(alpha, tenantA, { text: `select id from note where id = '8'` }), '[]')
  short.close()
})

test('a transaction whose statement is running at its limit fails with a timeout', async () => {
  const short = openDatabase(server, { limits: { transactionMs: 100 } })
  const transaction = await short.transaction(alpha, tenantA)
  await assert.rejects(transaction.rows({ text: 'select count(*) from generate_series(1, 1000000000)' }), {
    code: 'timeout',
  })
  short.close()
})

test("a statement that ends the transaction behind the host's back costs the session", async () => {
  const transaction = await database.transaction(alpha, tenantA)
  await transaction.execute(add('10'))
  await assert.rejects(transaction.execute({ text: 'rollback' }), { code: 'sql_refused' })
  await transaction.rollback()
  assert.ok(!(await ids()).includes('10'))
})

test('an empty transaction costs no statement', async () => {
  const transaction = await database.transaction(alpha, tenantA)
  await transaction.commit()
  await assert.rejects(transaction.execute(add('11')), { code: 'sql_error' })
})

test('a statement that is refused before it is sent leaves the transaction as it was', async () => {
  const transaction = await database.transaction(alpha, tenantA)
  await assert.rejects(transaction.execute({ text: 'select $1', values: [() => {}] }), { code: 'sql_refused' })
  await transaction.execute(add('12'))
  await transaction.commit()
  assert.ok((await ids()).includes('12'))
})

test('a session that has prepared all it may begins transactions as before', async () => {
  const narrow = openDatabase(server, { pools: { perRole: 1 } })
  for (const tenant of [tenantA, tenantB]) {
    for (let n = 0; n < 150; n++) {
      const transaction = await narrow.transaction(alpha, tenant)
      assert.equal(await transaction.rows({ text: `select ${n} as n` }), `[{"n":${n}}]`)
      await transaction.commit()
      await narrow.rows(alpha, tenant, { text: `select ${n} as alone` })
    }
  }
  narrow.close()
})

test('a statement that the server cannot bind is an error of its own, not of the database', async () => {
  await assert.rejects(database.rows(alpha, tenantA, { text: 'select $1::text' }), { code: 'sql_error' })
})

test('a statement prepared before a migration works after it where a transaction begins with it', async () => {
  const one = openDatabase(server, { pools: { perRole: 1 } })
  const inTransaction = async (list: string[] | null) => {
    const transaction = await one.transaction(alpha, tenantA)
    const first = { text: `select * from note where id = any (coalesce($1::text[], '{5}'))`, values: [list] }
    const found = await transaction.rows(first)
    const again = await transaction.rows({ text: `select n.* from note n where id = '5'` })
    await transaction.commit()
    return [...JSON.parse(found), ...JSON.parse(again)]
  }
  const [before] = await inTransaction(null)
  for (const [column, list] of [
    ['pages', null],
    ['shelf', ['5']],
  ] as const) {
    await asOwner(server, 'alpha', 'live', `alter table note add column ${column} int`)
    Object.assign(before, { [column]: null })
    assert.deepEqual(await inTransaction(list && [...list]), [before, before])
  }
  one.close()
})

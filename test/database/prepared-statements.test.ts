import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { runPipeline } from '../../host/database/pipeline.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
let client: pg.Client

before(async () => {
  database = await createTestDatabase()
  client = new pg.Client(database.superuser)
  await client.connect()
})
after(async () => {
  await client?.end()
  await database?.drop()
})

const kept = async () =>
  (await client.query<{ kept: number }>('select count(*)::int as kept from pg_prepared_statements')).rows[0]!.kept
const statement = (n: number) => ({ text: `select $1::int + ${n} as sum`, values: [1] })

test('a connection keeps 256 statements prepared, whatever number it is asked for', async () => {
  for (let n = 0; n < 600; n++) assert.deepEqual(await runPipeline(client, [statement(n)]), [[{ sum: n + 1 }]])
  // The last one to go is closed with the next pipeline.
  assert.ok((await kept()) <= 257, String(await kept()))
  assert.deepEqual(await runPipeline(client, [statement(0), statement(599)]), [[{ sum: 1 }], [{ sum: 600 }]])
})

test('a pipeline of more statements than are kept, each of them twice, is answered in full', async () => {
  const numbers = Array.from({ length: 300 }, (_, n) => n)
  const all = [...numbers, ...numbers]
  const expected = all.map((n) => [{ sum: n + 1 }])
  for (let round = 0; round < 2; round++) assert.deepEqual(await runPipeline(client, all.map(statement)), expected)
  await runPipeline(client, [statement(0)])
  assert.ok((await kept()) <= 257, String(await kept()))
})

test('a statement that fails whenever it is asked for leaves nothing behind', async () => {
  const failing = { text: 'select 1 / $1::int as quotient', values: [0] }
  await runPipeline(client, [statement(0)])
  const before = await kept()
  for (let n = 0; n < 50; n++) await assert.rejects(runPipeline(client, [statement(0), failing]), { code: '22012' })
  assert.ok((await kept()) <= before + 1, `${before} to ${await kept()}`)
  assert.deepEqual(await runPipeline(client, [{ ...failing, values: [1] }]), [[{ quotient: 1 }]])
})

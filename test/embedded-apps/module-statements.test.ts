import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createModuleStatements } from '../../host/embedded-apps/module-statements.ts'
import type { Caller } from '../../partner-services/service/caller.ts'
import { openDatabase, provisionWithNotes, startTestServer, tenantA } from '../module-database/support.ts'

const server = await startTestServer()
after(() => server.stop())
await provisionWithNotes(server, 'alpha')

const caller: Caller = {
  tenant: { id: tenantA, number: 1, sandbox: false },
  app: { slug: 'alpha', integrationType: 'embedded' },
  installation: { id: '01J00000000000000000000002', rateLimited: false },
  scopes: new Set(),
  viewer: null,
  locale: 'en',
}
const confirm = async () => caller
const anyNote = '{"text":"select id from note"}'

const tooMany = 'ModuleSqlError: a request has at most 2 transactions at one time'

test('a request has two transactions at a time, also where it begins more at once', async () => {
  const database = openDatabase(server, { pools: { perRole: 8 } })
  const statements = createModuleStatements(database, caller, confirm)
  const begun = await Promise.allSettled(Array.from({ length: 4 }, () => statements.serve('begin', '{}')))
  assert.deepEqual(
    begun.map((one) => (one.status === 'fulfilled' ? one.value : `${one.reason.name}: ${one.reason.message}`)),
    ['{"tx":1}', '{"tx":2}', tooMany, tooMany],
  )
  await statements.serve('commit', '{"tx":1}')
  assert.equal(await statements.serve('begin', '{}'), '{"tx":3}')
  await statements.close()
  database.close()
})

test('a statement has at most a thousand bound values, of which a list is one', async () => {
  const database = openDatabase(server)
  const statements = createModuleStatements(database, caller, confirm)
  const ask = (count: number, tx?: number) => {
    const places = Array.from({ length: count }, (_, index) => `$${index + 1}`)
    const values = Array.from({ length: count }, (_, index) => `id ${index}`)
    return statements.serve('rows', JSON.stringify({ text: `select id from note where id in (${places})`, values, tx }))
  }
  const refused = { name: 'ModuleSqlError', code: 'sql_refused', message: /at most 1000 bound values.*list is one/ }
  assert.equal(await ask(1_000), '[]')
  await assert.rejects(ask(1_001), refused)
  await statements.serve('begin', '{}')
  await assert.rejects(ask(1_001, 1), refused)
  assert.equal(await ask(1_000, 1), '[]')
  const list = { text: 'select id from note where id = any ($1)', values: [Array(5_000).fill('id')] }
  assert.equal(await statements.serve('rows', JSON.stringify(list)), '[]')
  await statements.close()
  database.close()
})

test('a transaction that has not begun when its request ends holds no session afterwards', async () => {
  const database = openDatabase(server, { pools: { perRole: 2 } })
  const holder = await database.transaction({ slug: 'alpha', sandbox: false }, tenantA)
  const statements = createModuleStatements(database, caller, confirm)
  const begun = statements.serve('begin', '{}')
  await new Promise(setImmediate)
  const closed = statements.close()
  await holder.rollback()
  await Promise.all([begun, closed])
  assert.equal(await createModuleStatements(database, caller, confirm).serve('rows', anyNote), '[]')
  database.close()
})

test('what a module does not await begins in its order, and what it asks after its request has ended does not', async () => {
  const database = openDatabase(server)
  const confirmations = Array.from({ length: 6 }, () => Promise.withResolvers<void>())
  let asked = 0
  const statements = createModuleStatements(database, caller, () => confirmations[asked++]!.promise)
  const add = (id: string) => JSON.stringify({ text: 'insert into note (id) values ($1)', values: [id], tx: 1 })
  const served = [
    statements.serve('begin', '{}'),
    statements.serve('execute', add('first')),
    statements.serve('commit', '{"tx":1}'),
    statements.serve('execute', add('too late')),
    statements.serve('execute', add('last').replace(',"tx":1', '')),
    statements.serve('begin', '{}'),
  ]
  for (const { resolve } of confirmations.slice(0, 4).reverse()) resolve()
  const seen = await Promise.allSettled(served.slice(0, 4))
  assert.deepEqual(
    seen.map((one) => (one.status === 'fulfilled' ? one.value : one.reason.code)),
    ['{"tx":1}', '1', 'null', 'sql_error'],
  )
  assert.equal(await createModuleStatements(database, caller, confirm).serve('rows', anyNote), '[{"id":"first"}]')
  const closed = statements.close()
  await assert.rejects(statements.serve('rows', anyNote), { code: 'invalid_state' })
  for (const { resolve } of confirmations) resolve()
  await closed
  assert.deepEqual(await Promise.all(served.slice(4)), ['1', '{"tx":2}'])
  const left = await createModuleStatements(database, caller, confirm).serve('rows', anyNote)
  assert.equal(left, '[{"id":"first"},{"id":"last"}]')
  database.close()
})

test('a transaction whose session is lost does not spoil the end of its request', async () => {
  const database = openDatabase(server)
  const statements = createModuleStatements(database, caller, confirm)
  await statements.serve('begin', '{}')
  await statements.serve('rows', '{"text":"select id from note","tx":1}')
  await server.superuser.query(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`,
  )
  await statements.close()
  database.close()
})

test('the statements of a sandbox school go to the sandbox’s tables, never to the live ones', async () => {
  const asked: unknown[] = []
  const note = async (module: unknown) => {
    asked.push(module)
    return '[]'
  }
  const database = { rows: note, execute: note } as unknown as ReturnType<typeof openDatabase>
  for (const sandbox of [true, false]) {
    const of = { ...caller, tenant: { ...caller.tenant, sandbox } }
    const statements = createModuleStatements(database, of, confirm)
    for (const verb of ['rows', 'execute']) await statements.serve(verb, anyNote)
  }
  assert.deepEqual(
    asked,
    [true, true, false, false].map((sandbox) => ({ slug: 'alpha', sandbox })),
  )
})

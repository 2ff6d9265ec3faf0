import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ModuleDatabase } from '../../host/module-database/module-database.ts'
import { provisionModule } from '../../host/module-database/provision.ts'
import { createStatementGuard } from '../../host/module-database/statement-guard.ts'
import { importMigrations } from '../../host/publishing/migrations/import.ts'
import { createGuard } from '../../policy/sql/worker.ts'
import { importTarget, migration, plan } from '../publishing/migrations/support.ts'
import { openDatabase, secrets, startTestServer, type TestServer, tenantA, tenantB } from './support.ts'

let server: TestServer
let guarded: ModuleDatabase
/** The same without the guard: what gate and grants hold by themselves. */
let bare: ModuleDatabase
const guard = createGuard()
const library = { slug: 'library', sandbox: false }

const tables = migration(
  1,
  `
  create table books (id text primary key, email text unique, title text);
  create table loans (id text primary key, book_id text references books (id) on delete cascade);
  create table notes (id text primary key, book_id text references books (id) on delete set null)`,
)

before(async () => {
  server = await startTestServer()
  for (const slug of ['library', 'other']) {
    await provisionModule(server.superuser, { slug, database: server.database, suffix: '', ...secrets })
    await importMigrations({
      ...importTarget(server, slug),
      files: [tables],
      plan,
      release: '1',
      tenants: async () => ({ sandbox: [], live: [] }),
    })
  }
  guarded = openDatabase(server, { guard: createStatementGuard(guard) })
  bare = openDatabase(server)
  for (const tenant of [tenantA, tenantB]) {
    await guarded.execute(library, tenant, {
      text: `insert into books (id, email, title) values ('b', 'x@y', $1)`,
      values: [tenant],
    })
    await guarded.execute(library, tenant, { text: `insert into loans (id, book_id) values ('l', 'b')` })
    await guarded.execute(library, tenant, { text: `insert into notes (id, book_id) values ('n', 'b')` })
  }
})
after(async () => {
  guarded.close()
  bare.close()
  await guard.close()
  await server.stop()
})

const count = async (tenant: string, table: string) =>
  JSON.parse(await guarded.rows(library, tenant, { text: `select count(*) as n from ${table}` }))[0].n

test("hostile statements without the guard see and change nobody else's rows", async () => {
  for (const text of [
    `select * from books where tenant_id = '${tenantB}'`,
    `select * from books where (true or tenant_id = '${tenantB}') and tenant_id <> '${tenantA}'`,
    `select * from books b where exists (select from m_library.books c where c.tenant_id <> b.tenant_id)`,
    `update books set title = 'mine' where tenant_id = '${tenantB}' returning *`,
    `delete from books where tenant_id = '${tenantB}' returning *`,
    `merge into books using (select 'b' as id) s on books.id = s.id and tenant_id = '${tenantB}' when matched then delete`,
  ]) {
    const answer = await bare.rows(library, tenantA, { text })
    assert.equal(answer, '[]', text)
  }
  for (const text of [
    `insert into books (id, tenant_id) values ('evil', '${tenantB}')`,
    `update books set tenant_id = '${tenantB}'`,
    `insert into books (id, tenant_id) values ('b', '${tenantB}') on conflict (tenant_id, id) do update set title = 'mine'`,
    `set backtrace_functions = '${tenantB}'`,
    `select set_config('backtrace_functions', '${tenantB}', true)`,
    `select gate.enter('${tenantB}', '')`,
    'truncate books',
    'alter table books disable row level security',
    'select * from m_other.books',
  ]) {
    await assert.rejects(bare.rows(library, tenantA, { text }), { code: 'sql_refused' }, text)
  }
  assert.equal(JSON.parse(await guarded.rows(library, tenantB, { text: 'select title from books' }))[0].title, tenantB)
})

test("a parameter that is not the gate's cannot name a tenant", async () => {
  await bare.rows(library, tenantA, { text: `set gate.tenant = '${tenantB}'` })
  assert.equal(JSON.parse(await bare.rows(library, tenantA, { text: 'select gate.tenant() as t' }))[0].t, tenantA)
})

test('a session that is used by one tenant after the other shows each its own', async () => {
  const one = openDatabase(server, { pools: { perRole: 1 } })
  for (let round = 0; round < 20; round++) {
    const tenant = round % 2 ? tenantA : tenantB
    assert.equal(await one.rows(library, tenant, { text: 'select title from books' }), `[{"title":"${tenant}"}]`)
  }
  one.close()
})

test('deleting a row cascades within its tenant only', async () => {
  assert.equal(await guarded.execute(library, tenantA, { text: `delete from books where id = 'b'` }), 1)
  assert.deepEqual([await count(tenantA, 'loans'), await count(tenantB, 'loans')], [0, 1])
  assert.equal(await guarded.rows(library, tenantB, { text: 'select book_id from notes' }), '[{"book_id":"b"}]')
  assert.equal(await guarded.rows(library, tenantA, { text: 'select book_id from notes' }), '[{"book_id":null}]')
})

test("a foreign key does not reach another tenant's row", async () => {
  await assert.rejects(
    guarded.execute(library, tenantA, { text: `insert into loans (id, book_id) values ('x', 'b')` }),
    { code: 'foreign_key_violation' },
  )
})

test('a unique key says nothing about other tenants', async () => {
  await guarded.execute(library, tenantB, { text: `insert into books (id, email) values ('only', 'only@b')` })
  assert.equal(
    await guarded.execute(library, tenantA, { text: `insert into books (id, email) values ('only', 'only@b')` }),
    1,
  )
})

test('ON CONFLICT works by the columns that the module knows', async () => {
  const text = `insert into books (id, email, title) values ('c', 'only@b', 'new') on conflict (email) do update set title = excluded.title`
  assert.equal(await guarded.execute(library, tenantA, { text }), 1)
  assert.equal(
    await guarded.rows(library, tenantA, { text: `select id, title from books where email = 'only@b'` }),
    '[{"id":"only","title":"new"}]',
  )
  assert.equal(
    await guarded.rows(library, tenantB, { text: `select title from books where email = 'only@b'` }),
    '[{"title":null}]',
  )
})

test('what one tenant leaves in a session is gone before another has it', async () => {
  const one = openDatabase(server, { pools: { perRole: 1 } })
  await one.rows(library, tenantA, { text: 'declare leak cursor with hold for select id from books' })
  await one.rows(library, tenantA, { text: 'set work_mem = 8192' })
  assert.notEqual(await one.rows(library, tenantA, { text: 'fetch all from leak' }), '[]')
  await assert.rejects(one.rows(library, tenantB, { text: 'fetch all from leak' }), { code: 'sql_error' })
  assert.equal(await one.rows(library, tenantB, { text: 'show work_mem' }), '[{"work_mem":"4MB"}]')
  await assert.rejects(one.rows(library, tenantB, { text: 'fetch all from leak' }), { code: 'sql_error' })
  await one.rows(library, tenantB, { text: 'declare again cursor with hold for select id from books' })
  const transaction = await one.transaction(library, tenantA)
  await assert.rejects(transaction.rows({ text: 'fetch all from again' }), { code: 'sql_error' })
  await transaction.rollback()
  const committed = await one.transaction(library, tenantA)
  await committed.rows({ text: 'declare third cursor with hold for select id from books' })
  await committed.commit()
  await assert.rejects(one.rows(library, tenantB, { text: 'fetch all from third' }), { code: 'sql_error' })
  one.close()
})

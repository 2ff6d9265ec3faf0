import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { provisionModule } from '../../../host/module-database/provision.ts'
import { importMigrations } from '../../../host/publishing/migrations/import.ts'
import { rehearse } from '../../../host/publishing/migrations/rehearse.ts'
import type { MigrationFile } from '../../../policy/migrations/folder.ts'
import { secrets, startTestServer, type TestServer, tenantA } from '../../module-database/support.ts'
import { importTarget, migration, plan } from './support.ts'

let server: TestServer
const first = migration(
  1,
  `create type shelf as enum ('low', 'high');
  create table books (id varchar(8) primary key, isbn char(13) unique, pages int not null, shelf shelf not null, doc jsonb, seen timestamptz, ok bool not null);
  create table loans (id serial primary key, book_id varchar(8) references books (id), due date not null, fine numeric(8,2), tags text[] not null default '{}')`,
)

before(async () => {
  server = await startTestServer()
  await provisionModule(server.superuser, { slug: 'library', database: server.database, suffix: '', ...secrets })
  await importMigrations({
    ...importTarget(server, 'library'),
    files: [first],
    plan,
    release: '1',
    tenants: async () => ({ sandbox: [], live: [] }),
  })
  await server.superuser.query(
    `insert into m_library.books (id, pages, shelf, ok, tenant_id) values ('real', 1, 'low', true, '${tenantA}')`,
  )
})
after(() => server.stop())

const rehearsal = (...files: MigrationFile[]) =>
  rehearse({ ...importTarget(server, 'library'), files: [first, ...files], plan, rows: 500 })

test('the copy has the tables of the live schema with generated rows, none of a school', async () => {
  const { tables } = await rehearsal(migration(2, `update books set pages = pages + 1`))
  assert.deepEqual(tables, [
    { table: 'books', rows: 500 },
    { table: 'loans', rows: 500 },
  ])
})

test('it reports changed rows, locks, rewritten tables and what would undo it', async () => {
  const { migrations } = await rehearsal(
    migration(2, 'alter table books alter column pages type bigint'),
    migration(3, 'create index on loans (due)'),
    migration(4, `update books set doc = '{}'; create table extra (id text primary key)`),
  )
  const [rewrite, index, data] = migrations
  assert.deepEqual(rewrite?.rewritten, ['books'])
  assert.deepEqual(
    rewrite?.locks.map(({ table, blocks }) => [table, blocks]),
    [['books', 'reads and writes']],
  )
  assert.deepEqual(index?.rewritten, [])
  assert.deepEqual(
    index?.locks.map(({ table, blocks }) => [table, blocks]),
    [['loans', 'writes']],
  )
  assert.equal(data?.rows, 500)
  assert.deepEqual(data?.locks, [])
})

test('a migration that fails on rows is told before any school has it', async () => {
  const { migrations } = await rehearsal(
    migration(2, 'create unique index on books (shelf)'),
    migration(3, 'create table t (id text primary key)'),
  )
  assert.equal(migrations.length, 1)
  assert.match(migrations[0]?.error ?? '', /could not create unique index/)
})

test('nothing of the rehearsal stays, and the live schema is as it was', async () => {
  await rehearsal(migration(2, 'alter table loans add column remark text'))
  const { rows } = await server.superuser.query(
    `select nspname as left from pg_namespace where nspname = 'r_library' union all select rolname from pg_roles where rolname ~ '^r_library'
     union all select version from module_host.history where schema = 'r_library' union all select relname from pg_class where relnamespace = 'm_library'::regnamespace and relkind = 'r'`,
  )
  assert.deepEqual(
    rows.map((row) => row.left),
    ['books', 'loans'],
  )
})

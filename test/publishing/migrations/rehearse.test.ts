import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { provisionModule } from '../../../host/module-database/provision.ts'
import { importMigrations } from '../../../host/publishing/migrations/import.ts'
import { rehearse, removeRehearsals } from '../../../host/publishing/migrations/rehearse.ts'
import type { MigrationFile } from '../../../policy/migrations/folder.ts'
import { secrets, startTestServer, type TestServer, tenantA } from '../../module-database/support.ts'
import type { RehearsalStart } from './rehearsal-process.ts'
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

test('rehearsals of one planner know nothing of each other', async () => {
  for (let turn = 0; turn < 2; turn++) {
    const { migrations } = await rehearsal(migration(2, 'alter table books drop constraint books_isbn_key'))
    assert.deepEqual(
      migrations.map(({ error }) => error),
      [undefined],
    )
  }
})

test('a migration that fails on rows is told before any school has it', async () => {
  const { migrations } = await rehearsal(
    migration(2, 'create unique index on books (shelf)'),
    migration(3, 'create table t (id text primary key)'),
  )
  assert.equal(migrations.length, 1)
  assert.match(migrations[0]?.error ?? '', /could not create unique index/)
})

test('the time under a lock is counted from the statement that takes it until the commit', async () => {
  const { migrations } = await rehearsal(
    migration(
      2,
      `alter table loans add column a int; update books set pages = pages + (select count(*) from generate_series(1, 2000000)) * 0;
      alter table books add column b int`,
    ),
  )
  const [measured] = migrations
  const [loans, books] = ['loans', 'books'].map((name) => measured?.locks.find(({ table }) => table === name))
  assert.ok(loans && books && loans.milliseconds > books.milliseconds + 50, JSON.stringify(measured))
  assert.ok(loans.milliseconds <= measured!.milliseconds)
})

test('the reverse plan is what `down` says, and is not run', async () => {
  const php = `<?php
    use Illuminate\\Database\\Migrations\\Migration;
    return new class extends Migration {
      public function up(): void { Schema::table('loans', fn (Blueprint $table) => $table->text('remark')->nullable()); }
      public function down(): void { Schema::table('loans', fn (Blueprint $table) => $table->dropColumn('remark')); }
    };`
  const { migrations } = await rehearsal(
    migration(2, php, 'php'),
    migration(3, `update loans set remark = 'still there'`),
  )
  assert.match(migrations[0]?.reverse.join() ?? '', /drop column "?remark/i)
  assert.deepEqual([migrations[1]?.error, migrations[1]?.rows], [undefined, 500])
})

test('generated rows are made up: no value of a school is among them', async () => {
  // A row like the school's would make this fail in the copy.
  const { migrations } = await rehearsal(migration(2, `alter table books add check (id <> 'real')`))
  assert.deepEqual(
    migrations.map(({ error }) => error),
    [undefined],
  )
})

test('rows that a later school could not be given are told', async () => {
  const seed = migration(2, `create table kinds (id text primary key); insert into kinds (id) values ('a')`)
  const renamed = migration(3, 'alter table kinds rename to sorts')
  assert.equal((await rehearsal(seed)).laterSchool, null)
  assert.match((await rehearsal(seed, renamed)).laterSchool ?? '', /kinds/)
})

test('an applied file that is missing is named: without it there is no copy', async () => {
  const without = rehearse({
    ...importTarget(server, 'library'),
    files: [migration(2, 'create table t (id int)')],
    plan,
  })
  await assert.rejects(without, { code: 'changed', message: /2026_01_01_000001_step/ })
})

test('what a killed publisher left of a rehearsal is removed at the next start; one under way stays', async () => {
  const child = fork(fileURLToPath(new URL('./rehearsal-process.ts', import.meta.url)), { stdio: 'inherit' })
  const target = importTarget(server, 'library')
  const start: RehearsalStart = {
    slug: 'library',
    superuser: server.provisioning,
    files: [first, migration(2, `update books set pages = (select count(*) from generate_series(1, 1000000000))`)],
    password: target.passwordOf('r_library'),
    gateSecret: target.gateSecretOf('r_library'),
  }
  child.send(start)
  await until(`select from pg_stat_activity where usename = 'r_library' and query like '%1000000000%'`)
  assert.deepEqual(await removeRehearsals(target), [])
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
  // The lock goes with the killed publisher's session, which the server notices in its own time.
  while ((await removeRehearsals(target)).length === 0) await new Promise((done) => setTimeout(done, 20))
  assert.deepEqual(await leftovers(), ['books', 'loans'])
})

/** Waits until the superuser's question has a row. */
async function until(question: string): Promise<void> {
  while (!(await server.superuser.query(question)).rowCount) await new Promise((done) => setTimeout(done, 20))
}

async function leftovers(): Promise<string[]> {
  const { rows } = await server.superuser.query(
    `select nspname as left from pg_namespace where nspname = 'r_library' union all select rolname from pg_roles where rolname ~ '^r_library'
     union all select role from gate.secret where role ~ '^r_library' union all select schema from module_host.modules where schema = 'r_library'
     union all select usename from pg_stat_activity where usename ~ '^r_library'
     union all select version from module_host.history where schema = 'r_library' union all select relname from pg_class where relnamespace = 'm_library'::regnamespace and relkind = 'r'`,
  )
  return rows.map((row) => row.left)
}

test('nothing of the rehearsal stays, and the live schema is as it was', async () => {
  await rehearsal(migration(2, 'alter table loans add column remark text'))
  assert.deepEqual(await leftovers(), ['books', 'loans'])
})

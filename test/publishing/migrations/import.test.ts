import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { importMigrations } from '../../../host/publishing/migrations/import.ts'
import { eraseModuleRows } from '../../../host/publishing/migrations/erase-rows.ts'
import { applyTenantData } from '../../../host/publishing/migrations/tenant-data.ts'
import { migrationStatus } from '../../../host/publishing/migrations/status.ts'
import type { MigrationImportError } from '../../../host/publishing/migrations/migration-types.ts'
import { connected, startTestServer, type TestServer, tenantA, tenantB } from '../../module-database/support.ts'
import { importTarget, migration, newModule as newModuleFor, plan } from './support.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server.stop())

/** A new module for two schools, and what is in its schemas. */
async function newModule() {
  const { slug, bring } = await newModuleFor(server, async () => ({ sandbox: [tenantA], live: [tenantA, tenantB] }))
  const tables = async (schema: string) =>
    (
      await server.superuser.query(
        'select relname from pg_class where relnamespace = $1::regnamespace and relkind = $2 order by 1',
        [schema, 'r'],
      )
    ).rows.map((row) => row.relname)
  return {
    slug,
    bring,
    tables,
    versions: async () =>
      (await migrationStatus(server.superuser, { slug, suffix: '' })).live.map(({ version }) => version),
  }
}

const books = migration(1, 'create table books (id text primary key, title text not null unique)')
const loans = migration(
  2,
  'create table loans (id serial primary key, book_id text references books (id) on delete cascade)',
)

test('migrations are applied in order of version, to the sandbox first and then to the live schema', async () => {
  const { slug, bring, tables } = await newModule()
  const applied = await bring([loans, books])
  assert.deepEqual(
    applied.map(({ kind, version }) => [kind, version]),
    [
      ['sandbox', books.version],
      ['sandbox', loans.version],
      ['live', books.version],
      ['live', loans.version],
    ],
  )
  assert.deepEqual(await tables(`m_${slug}`), ['books', 'loans'])
  assert.deepEqual(await tables(`s_${slug}`), ['books', 'loans'])
  const { live } = await migrationStatus(server.superuser, { slug, suffix: '' })
  assert.deepEqual(
    live.map(({ name, checksum, release }) => [name, checksum, release]),
    [
      ['step', books.checksum, '1.0.0'],
      ['step', loans.checksum, '1.0.0'],
    ],
  )
})

test('what is applied is not applied again', async () => {
  const { bring } = await newModule()
  await bring([books])
  assert.deepEqual(await bring([books]), [])
  assert.deepEqual(
    (await bring([books, loans])).map(({ kind }) => kind),
    ['sandbox', 'live'],
  )
})

test('a new file older than the newest applied one stops the run before anything runs', async () => {
  const { slug, bring, tables } = await newModule()
  await bring([loans].map(() => migration(5, 'create table five (id text primary key)')))
  const later = migration(9, 'create table nine (id text primary key)')
  await assert.rejects(bring([books, later]), { code: 'out_of_order', file: books.file })
  assert.deepEqual(await tables(`s_${slug}`), ['five'])
})

test('where both schemas have what the files say otherwise, it is the live one that refuses', async () => {
  const { bring } = await newModule()
  await bring([migration(5, 'create table five (id text primary key)')])
  await assert.rejects(bring([books]), { code: 'out_of_order', kind: 'live' })
})

test('a changed file is refused by its checksum before anything runs', async () => {
  const { slug, bring, tables } = await newModule()
  await bring([books])
  await assert.rejects(bring([{ ...books, checksum: 'other' }, loans]), { code: 'changed', file: books.file })
  assert.deepEqual(await tables(`m_${slug}`), ['books'])
})

test('a text that the guard refuses stops the run before anything runs, with file and line', async () => {
  const { slug, bring, tables } = await newModule()
  const bad = migration(3, 'create table t (id text);\ncreate role evil')
  await assert.rejects(bring([books, bad]), { code: 'refused', file: bad.file, line: 2 })
  assert.deepEqual(await tables(`s_${slug}`), [])
})

test('CREATE INDEX CONCURRENTLY is refused before anything runs, with the mend', async () => {
  const { bring, versions } = await newModule()
  const index = migration(3, 'create index concurrently i on books (title)')
  await assert.rejects(bring([books, index]), { code: 'refused', file: index.file, line: 1, message: /CONCURRENTLY/ })
  assert.deepEqual(await versions(), [])
})

test('a failing migration leaves nothing of itself, names its line, and the next run goes on', async () => {
  const { slug, bring, tables } = await newModule()
  const failing = migration(2, 'create table half (id text primary key);\nalter table nowhere add column x int')
  await assert.rejects(bring([books, failing]), {
    code: 'failed',
    file: failing.file,
    line: 2,
    kind: 'sandbox',
    message: /nowhere/,
  })
  assert.deepEqual(await tables(`s_${slug}`), ['books'])
  assert.deepEqual(await tables(`m_${slug}`), [])
  assert.equal((await bring([books, loans])).length, 3)
})

test("data statements change each tenant's rows once, and only theirs", async () => {
  const { slug, bring } = await newModule()
  const seed = migration(
    2,
    `insert into books (id, title) values ('1', 'first'); update books set title = title || '!'`,
  )
  await bring([books, seed])
  const { rows } = await server.superuser.query(`select tenant_id, title from m_${slug}.books order by 1`)
  assert.deepEqual(rows, [
    { tenant_id: tenantA, title: 'first!' },
    { tenant_id: tenantB, title: 'first!' },
  ])
  assert.equal((await server.superuser.query(`select from s_${slug}.books`)).rowCount, 1)
})

test('two importers at once apply each migration once', async () => {
  const { bring, versions } = await newModule()
  const files = Array.from({ length: 12 }, (_, n) => migration(n + 1, `create table t${n} (id text primary key)`))
  const [first, second] = await Promise.all([bring(files), bring(files)])
  assert.equal(first.length + second.length, 24)
  assert.deepEqual(
    await versions(),
    files.map(({ version }) => version),
  )
})

test('the history can be read and written by no role of the module, also while it may sign in', async () => {
  const { slug } = await newModule()
  await server.superuser.query(`alter role m_${slug} login`)
  const owner = await server.connect(`m_${slug}`)
  for (const text of [
    'select * from module_host.history',
    'delete from module_host.history',
    'select * from module_host.runner',
    'select * from module_host.modules',
    `delete from module_host.modules where owner = 'm_${slug}'`,
    'delete from module_host.touched',
    `select module_host.record('2099_01_01_000000', 'x', 'x', 'x', '[]', 'guess')`,
    `select module_host.audit_schema('m_${slug}')`,
    `alter table module_host.history disable trigger immutable`,
  ]) {
    await assert.rejects(owner.query(text), { code: '42501' }, text)
  }
  // Also while runs are under way: its own secret is needed, and another module's is none.
  const other = await newModule()
  const runners = `insert into module_host.runner values ($1, sha256('own')), ($2, sha256('other'))`
  await server.superuser.query(runners, [`m_${slug}`, `m_${other.slug}`])
  for (const secret of ['guess', 'other']) {
    for (const text of [
      `select module_host.record('2099_01_01_000000', 'x', 'x', 'x', '[]', '${secret}')`,
      `select module_host.record_tenant('${tenantA}', '2099_01_01_000000', '${secret}')`,
      `select module_host.record_erasure('${tenantA}', 'one', '{}', '${secret}')`,
    ])
      await assert.rejects(owner.query(text), { code: '42501', message: 'refused' }, text)
  }
  await server.superuser.query('delete from module_host.runner')
  await owner.end()
  await server.superuser.query(`alter role m_${slug} nologin`)
})

test('an applied migration cannot be rewritten, not even by the superuser', async () => {
  const { slug, bring } = await newModule()
  await bring([books])
  await assert.rejects(
    server.superuser.query(`update module_host.history set checksum = 'x' where schema = 'm_${slug}'`),
    { code: 'PM002' },
  )
})

test('an importer killed in the middle leaves a migration and its history, or neither', async () => {
  const { slug, bring, tables, versions } = await newModule()
  const files = Array.from({ length: 40 }, (_, n) =>
    migration(n + 1, `create table t${String(n).padStart(2, '0')} (id text primary key)`),
  )
  let seen = 0
  const killer = await connected(server.provisioning)
  const run = importMigrations(
    {
      ...importTarget(server, slug),
      files,
      plan,
      release: '1',
      tenants: async () => ({ sandbox: [], live: [] }),
      kinds: ['live'],
    },
    () => {
      if (++seen === 15)
        void killer.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [`m_${slug}`])
    },
  )
  await assert.rejects(run)
  await killer.end()
  const done = await versions()
  assert.ok(done.length >= 15 && done.length < 40, String(done.length))
  assert.deepEqual(
    await tables(`m_${slug}`),
    files.slice(0, done.length).map((_, n) => `t${String(n).padStart(2, '0')}`),
  )
  await bring(files, { kinds: ['live'] })
  assert.equal((await versions()).length, 40)
})

test('after a run the owner cannot sign in, its secret opens nothing, and one that was killed is open for minutes only', async () => {
  const { slug, bring } = await newModule()
  await bring([books])
  await assert.rejects(server.connect(`m_${slug}`), { code: '28000' })
  const { rows } = await server.superuser.query(
    `select rolvaliduntil < now() + interval '1 hour' as soon, (select count(*)::int from module_host.runner) as runs
      from pg_roles where rolname = $1`,
    [`m_${slug}`],
  )
  assert.deepEqual(rows, [{ soon: true, runs: 0 }])
})

test('a Laravel file is imported like an SQL one', async () => {
  const { slug, bring, tables } = await newModule()
  const php = migration(
    1,
    `<?php
    use Illuminate\\Database\\Migrations\\Migration; use Illuminate\\Database\\Schema\\Blueprint; use Illuminate\\Support\\Facades\\Schema;
    return new class extends Migration {
      public function up(): void { Schema::create('shelves', function (Blueprint $table) { $table->id(); $table->string('label')->unique(); $table->timestamps(); }); }
      public function down(): void { Schema::dropIfExists('shelves'); }
    };`,
    'php',
  )
  await bring([php, migration(2, `insert into shelves (label) values ('first')`)])
  assert.deepEqual(await tables(`m_${slug}`), ['shelves'])
  assert.equal((await server.superuser.query(`select from m_${slug}.shelves`)).rowCount, 2)
})

test('a column that holds a platform identifier without a label is refused', async () => {
  const { bring } = await newModule()
  const table = 'create table visits (id text primary key, student_id char(26) not null)'
  await assert.rejects(bring([migration(1, table)]), (error: MigrationImportError) => {
    assert.deepEqual([error.code, error.findings[0]?.rule], ['refused', 'core-reference'])
    return true
  })
  const labelled = migration(1, `${table}; comment on column visits.student_id is 'core_reference:students'`)
  assert.equal((await bring([labelled])).length, 2)
})

test('what would break the version that schools still run is refused', async () => {
  const { bring } = await newModule()
  const moods = migration(2, "create type mood as enum ('sad'); alter table books add column mood mood default 'sad'")
  await bring([books, moods])
  for (const text of ['drop table books', 'drop type mood cascade'])
    await assert.rejects(bring([books, moods, migration(3, text)]), { code: 'refused', line: 1 }, text)
})

test('a school that installs later gets the rows that migrations gave to the others, once', async () => {
  const { slug, bring } = await newModule()
  const files = [
    books,
    migration(2, `insert into books (id, title) values ('1', 'first')`),
    migration(3, `update books set title = title || '!'`),
  ]
  await bring(files, { tenants: async () => ({ sandbox: [], live: [tenantA] }) })
  const arrive = (tenantId: string) => applyTenantData({ ...importTarget(server, slug), kind: 'live', tenantId })
  assert.deepEqual(await arrive(tenantA), [])
  assert.deepEqual(await arrive(tenantB), [files[1]?.version, files[2]?.version])
  assert.deepEqual(await arrive(tenantB), [])
  const { rows } = await server.superuser.query(`select tenant_id, title from m_${slug}.books order by 1`)
  assert.deepEqual(rows, [
    { tenant_id: tenantA, title: 'first!' },
    { tenant_id: tenantB, title: 'first!' },
  ])
  const ended = { kind: 'live', tenantId: tenantB, installationId: 'one' } as const
  const erased = await eraseModuleRows({ ...importTarget(server, slug), ...ended })
  assert.deepEqual(erased, { books: 1 })
  assert.deepEqual(await arrive(tenantB), [files[1]?.version, files[2]?.version])
})

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { knownColumns, knownSchema } from '../../../host/publishing/migrations/known-schema.ts'
import { importMigrations } from '../../../host/publishing/migrations/import.ts'
import type { MigrationImportError } from '../../../host/publishing/migrations/migration-types.ts'
import { provisionModule } from '../../../host/module-database/provision.ts'
import type { MigrationFile } from '../../../policy/migrations/folder.ts'
import { planOptionsOf } from '../../../policy/migrations/known-schema.ts'
import { replayMigrations } from '../../../policy/migrations/replay.ts'
import { secrets, startTestServer, type TestServer } from '../../module-database/support.ts'
import { importTarget, migration, plan } from './support.ts'

const php = (number: number, body: string) =>
  migration(
    number,
    `<?php
    use Illuminate\\Database\\Migrations\\Migration;
    return new class extends Migration { public function up(): void { ${body} } };`,
    'php',
  )

const firstRelease = [
  migration(
    1,
    `create table loans (id serial primary key, student_id char(26) not null, title varchar(50) not null, remark text);
    comment on column loans.student_id is 'core_reference:students'`,
  ),
  php(2, `Schema::table('loans', fn (Blueprint $table) => $table->decimal('fee', 8, 2)->nullable());`),
]

let server: TestServer
let modules = 0
before(async () => {
  server = await startTestServer()
})
after(() => server.stop())

/** A module whose first release is imported. A run of the publisher of its own imports the second. */
async function released() {
  const slug = `release${modules++}`
  await provisionModule(server.superuser, { slug, database: server.database, suffix: '', ...secrets })
  const bring = (files: MigrationFile[], release: string, code?: string[]) =>
    importMigrations({
      ...importTarget(server, slug),
      files,
      plan,
      release,
      tenants: async () => ({ sandbox: [], live: [] }),
      ...(code && { runningCode: async () => code }),
    })
  await bring(firstRelease, '1.0.0')
  return {
    slug,
    second: (...files: MigrationFile[]) => bring([...firstRelease, ...files], '2.0.0'),
    secondBeside: (code: string[], ...files: MigrationFile[]) => bring([...firstRelease, ...files], '2.0.0', code),
  }
}

async function columnsOf(slug: string): Promise<(string | null)[]> {
  return (await knownColumns(server.superuser, `m_${slug}`)).map(({ column }) => column)
}

test('a later release asks what the earlier one made: Schema::hasColumn has its answer', async () => {
  const { slug, second } = await released()
  await second(
    php(
      3,
      `if (! Schema::hasColumn('loans', 'fee')) { Schema::table('loans', fn (Blueprint $table) => $table->text('never')); }
      if (! Schema::hasColumn('loans', 'due')) { Schema::table('loans', fn (Blueprint $table) => $table->date('due')->nullable()); }`,
    ),
    php(4, `if (Schema::hasColumn('loans', 'due')) { Schema::create('dues', fn (Blueprint $table) => $table->id()); }`),
  )
  assert.deepEqual(await columnsOf(slug), ['id', 'id', 'student_id', 'title', 'remark', 'fee', 'due'])
})

test('change() says NOT NULL anew: no danger for a column that is NOT NULL, an error for one that takes NULL', async () => {
  const { slug, second } = await released()
  const change = (column: string) =>
    php(3, `Schema::table('loans', fn (Blueprint $table) => $table->string('${column}', 200)->change());`)
  await assert.rejects(second(change('remark')), (error: MigrationImportError) => {
    assert.equal(error.findings.find(({ severity }) => severity === 'error')?.rule, 'set-not-null')
    return true
  })
  await second(change('title'))
  const { rows } = await server.superuser.query(
    `select format_type(atttypid, atttypmod) as type from pg_attribute where attrelid = 'm_${slug}.loans'::regclass and attname = 'title'`,
  )
  assert.equal(rows[0].type, 'character varying(200)')
})

test('what no version that runs somewhere names may go; what one names may not', async () => {
  const { slug, secondBeside } = await released()
  const drop = (column: string) => migration(3, `alter table loans drop column ${column}`)
  const code = ['sql`select id, title from loans`', 'sql`insert into Loans (title, student_id) values ($1, $2)`']
  for (const column of ['title', 'student_id'])
    await assert.rejects(secondBeside(code, drop(column)), (error: MigrationImportError) => {
      assert.equal(error.findings[0]?.rule, 'dropped-column')
      return true
    })
  await secondBeside(code, drop('remark'), migration(4, 'alter table loans drop column fee'))
  assert.deepEqual(await columnsOf(slug), ['id', 'student_id', 'title'])
  const rest = migration(5, 'drop table loans')
  await assert.rejects(secondBeside(code, drop('remark'), migration(4, 'alter table loans drop column fee'), rest), {
    code: 'refused',
  })
  await secondBeside(['1'], drop('remark'), migration(4, 'alter table loans drop column fee'), rest)
  assert.deepEqual(await columnsOf(slug), [])
})

test('a name right behind an escape is one that the code names', async () => {
  const { secondBeside } = await released()
  const drop = migration(3, 'alter table loans drop column remark')
  for (const before of ['\\t', '\\n', '\\x09', '\\u0009', '\\u{9}'])
    await assert.rejects(
      secondBeside([`sql\`select id,${before}remark from loans\``], drop),
      { code: 'refused', message: /loans\.remark/ },
      before,
    )
})

test('NULL is not forbidden in a table whose rows a version adds that runs somewhere, though it leaves the column out', async () => {
  const { secondBeside } = await released()
  const required = migration(3, 'alter table loans alter fee set not null')
  const code = ['sql`insert into loans (title, student_id) values ($1, $2)`']
  await assert.rejects(secondBeside(code, required), (error: MigrationImportError) => {
    assert.equal(error.findings[0]?.rule, 'set-not-null')
    return true
  })
  await secondBeside(['1'], required)
})

test('a label that an earlier release gave cannot be taken off by a later one', async () => {
  const { second } = await released()
  for (const comment of ['null', `'who borrowed it'`]) {
    await assert.rejects(
      second(migration(3, `comment on column loans.student_id is ${comment}`)),
      (error: MigrationImportError) => {
        assert.deepEqual([error.code, error.findings[0]?.rule], ['refused', 'core-reference'])
        return true
      },
    )
  }
})

test('nor by a later file of the same release', async () => {
  const { second } = await released()
  const labelled = migration(
    3,
    `alter table loans add column reader char(26); comment on column loans.reader is 'core_reference:students'`,
  )
  await assert.rejects(second(labelled, migration(4, 'comment on column loans.reader is null')), { code: 'refused' })
})

test('what the database says of the schema equals what a replay of the texts says', async () => {
  const { slug, second } = await released()
  const added = migration(3, 'create table "Odd Name" (id int primary key); alter table loans add column "Due" date')
  await second(added)
  const options = { schema: `m_${slug}`, runtimeRole: 'x', coreTables: new Set(['students']) }
  const replayed = await replayMigrations([...firstRelease, added], options)
  const { columns, coreReferences } = planOptionsOf(await knownSchema(server.superuser, `m_${slug}`))
  assert.deepEqual(columns, replayed.columns)
  assert.deepEqual(coreReferences, replayed.coreReferences)
})

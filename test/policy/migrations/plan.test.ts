import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { MigrationFile } from '../../../policy/migrations/folder.ts'
import type { PlanOptions } from '../../../policy/migrations/plan.ts'
import { planMigration } from '../../../policy/migrations/plan.ts'
import { replayMigrations } from '../../../policy/migrations/replay.ts'

const base: PlanOptions = {
  schema: 'm_library',
  runtimeRole: 'm_library_rt',
  coreTables: new Set(['students', 'classes', 'guardian_links']),
}

function file(text: string, kind: 'sql' | 'php' = 'sql'): MigrationFile {
  const version = '2026_01_01_000001'
  return { version, name: 'x', file: `${version}_x.${kind}`, kind, checksum: '', text }
}

async function rules(text: string, options: Partial<PlanOptions> = {}): Promise<string[]> {
  const plan = await planMigration(file(text), { ...base, ...options })
  return plan.findings.map(({ rule, line }) => `${rule}:${line}`)
}

describe('what a plan holds', () => {
  test('definitions run once, data once for each tenant, each with its line', async () => {
    const plan = await planMigration(file('\ncreate table a (id int);\ninsert into a (id) values (1)'), base)
    assert.equal(plan.ok, true)
    assert.deepEqual(
      plan.statements.map((statement) => [statement.class, statement.line]),
      [...Array(5).fill(['ddl', 2]), ['data', 3]],
    )
    assert.deepEqual([...plan.tables], ['a'])
  })

  test('one refused statement makes the plan not ok, with rule and line', async () => {
    const plan = await planMigration(file('create table a (id int);\n\ngrant all on a to public'), base)
    assert.equal(plan.ok, false)
    assert.deepEqual(
      plan.findings.map(({ rule, line, file: at }) => [rule, line, at]),
      [['statement', 3, '2026_01_01_000001_x.sql']],
    )
  })

  test('what cannot take its tenant form is refused', async () => {
    assert.deepEqual(await rules('create table a (x int, unique (x) include (y))'), ['rewrite:1'])
  })

  test('for the sandbox the same text runs in the sandbox’s schema', async () => {
    const plan = await planMigration(file('drop table m_library.a'), { ...base, runSchema: 's_library' })
    assert.equal(plan.statements[0]!.sql, 'DROP TABLE s_library.a')
  })
})

describe('core_reference', () => {
  const label = (to: string) => `; comment on column a.student_id is 'core_reference:${to}'`

  test('a platform identifier without a label is refused, by its type and by its name', async () => {
    for (const column of [
      'who char(26)',
      'who varchar(26)',
      'student_id text',
      'class_student_ids jsonb',
      'guardian_link_id text',
    ]) {
      assert.deepEqual(await rules(`create table a (id int primary key, ${column})`), ['core-reference:1'], column)
    }
    assert.deepEqual(await rules('alter table a add column class_id text'), ['core-reference:1'])
  })

  test('a label that names a platform table is accepted and reported', async () => {
    const plan = await planMigration(file(`create table a (student_id char(26))${label('students')}`), base)
    assert.deepEqual(plan.findings, [])
    assert.deepEqual(plan.coreReferences, [{ table: 'a', column: 'student_id', references: 'students' }])
  })

  test('a label without such a table, or of another form, is refused', async () => {
    const table = 'create table a (student_id char(26))'
    assert.equal((await rules(table + label('pupils'))).length, 2)
    assert.equal((await rules(table + label('Students x'))).length, 2)
  })

  test('the module’s own keys and other columns need none', async () => {
    assert.deepEqual(
      await rules(`create table b (id char(26) primary key);
        create table a (id char(26), b_id char(26) references b (id), note varchar(255), period text, paid bool, primary key (id))`),
      [],
    )
  })

  test('a foreign key to a platform table is refused: it would be no key, and keep the label from being asked for', async () => {
    for (const text of [
      'create table a (student_id char(26) not null references students (id))',
      'create table a (student_id char(26), foreign key (student_id) references students (id))',
      'alter table a add foreign key (student_id) references students (id)',
      'alter table a add column student_id char(26) references students (id)',
    ]) {
      const plan = await planMigration(file(text), { ...base, knownTables: new Set(['a']) })
      const [finding] = plan.findings.filter(({ rule }) => rule === 'core-reference')
      assert.match(finding?.reason ?? '', /a foreign key to students/, text)
      assert.match(finding?.mend ?? '', /'core_reference:students'/)
    }
    const own = { knownTables: new Set(['a', 'students']) }
    assert.deepEqual(await rules('create table b (student_id char(26) references students (id))', own), [])
  })

  test('a key that is made of the platform’s identifiers needs it too', async () => {
    for (const text of [
      'create table a (student_id char(26) primary key)',
      'create table a (student_id char(26), day date, primary key (student_id, day))',
      'create table a (student_id char(26)); alter table a add primary key (student_id)',
    ]) {
      assert.deepEqual(await rules(text), ['core-reference:1'], text)
      assert.deepEqual(await rules(text + label('students')), [], text)
    }
    assert.deepEqual(await rules('create table students (student_id char(26) primary key)'), [])
  })

  test('a column that cannot hold an identifier needs none and takes none', async () => {
    for (const type of ['int', 'bigserial', 'uuid', 'date', 'numeric(8)', 'varchar(10)', 'bigint[]'])
      assert.deepEqual(await rules(`create table a (student_id ${type})`), [], type)
    const plan = await planMigration(file(`create table a (student_id int)${label('students')}`), base)
    assert.deepEqual(
      plan.findings.map(({ reason, mend }) => [reason, mend]),
      [['a.student_id cannot hold a platform identifier', 'make it char(26)']],
    )
  })

  test('a column of another type keeps its label, and one that is made again has none', async () => {
    const labelled = { coreReferences: [{ table: 'a', column: 'student_id', references: 'students' }] }
    assert.deepEqual(await rules('alter table a alter column student_id type text', labelled), [])
    const again = 'alter table a drop column student_id; alter table a add column student_id char(26)'
    assert.deepEqual(await rules(again, labelled), ['core-reference:1'])
  })

  test('taking the label off again is refused, in the file that gave it too', async () => {
    assert.deepEqual(await rules('comment on column a.student_id is null'), ['core-reference:1'])
    for (const last of ["comment on column a.student_id is 'the pupil'", 'comment on column a.student_id is null'])
      assert.deepEqual(await rules(`create table a (student_id char(26))${label('students')}; ${last}`), [
        'core-reference:1',
      ])
  })
})

describe('earlier migrations, replayed from their texts', () => {
  test('answer conditions of a PHP migration and keep their labels', async () => {
    const earlier = file("create table a (who char(26)); comment on column a.who is 'core_reference:students'")
    const replayed = await replayMigrations([earlier], base)
    assert.deepEqual(replayed.coreReferences, [{ table: 'a', column: 'who', references: 'students' }])
    assert.deepEqual(await rules('comment on column a.who is null', replayed), ['core-reference:1'])
    const php = `<?php return new class extends Migration { public function up() {
      if (Schema::hasColumn('a', 'who')) { Schema::drop('a'); } } };`
    const plan = await planMigration(file(php, 'php'), { ...base, ...replayed })
    assert.deepEqual(
      plan.statements.map(({ sql }) => sql),
      ['drop table "a"'],
    )
    assert.deepEqual(plan.columns, new Map())
  })

  test('are unknown once one of them cannot be planned', async () => {
    assert.equal((await replayMigrations([file('grant all on a to b')], base)).columns, undefined)
  })
})

describe('dangers on tables that a released version uses', () => {
  const known = { knownTables: new Set(['a']) }
  const cases: [string, string[]][] = [
    ['drop table a', ['dropped-table:1']],
    ['alter table a drop column x', ['dropped-column:1']],
    ['alter table a rename to b', ['renamed-table:1']],
    ['alter table a rename column x to y', ['renamed-column:1']],
    ['alter table a add column x int not null', ['not-null-without-default:1']],
    ['alter table a add column x int not null default null', ['not-null-without-default:1']],
    ['alter table a add column x int not null default 0', []],
    ['alter table a add column x uuid default gen_random_uuid()', ['default-rewrites-table:1']],
    ['alter table a add column x bigserial', ['default-rewrites-table:1']],
    ['alter table a alter column x set not null', ['set-not-null:1']],
    ['alter table a add constraint n not null x', ['set-not-null:1']],
    ['alter table a add constraint n not null x not valid', ['set-not-null:1']],
    ['alter table a add primary key (x)', ['unique-added:1', 'set-not-null:1']],
    ['alter table a alter column x set default null', ['default-dropped:1']],
    ['alter table a alter column x drop identity', ['default-dropped:1']],
    ['alter table a drop constraint a_x_key', ['dropped-constraint:1']],
    ['drop index a_x_idx', ['dropped-index:1']],
    ['drop sequence numbers', ['dropped-sequence:1']],
    ['alter sequence numbers rename to other', ['dropped-sequence:1']],
    ['delete from a', ['deletes-all-rows:1']],
    ['delete from a where x = 1', []],
    ['alter table a alter column x type bigint', ['type-rewrites-table:1']],
    ['alter table a alter column x drop default', ['default-dropped:1']],
    ['create index concurrently i on a (x)', ['index-concurrently:1', 'index-locks-writes:1']],
    ['alter table a add constraint c check (x > 0)', ['constraint-checks-rows:1']],
    ['alter table a add constraint c check (x > 0) not valid', ['constraint-on-new-rows:1']],
    ["alter table a alter column x type text using x || ''", ['type-rewrites-table:1']],
    ['alter table a alter column x type int using 0', ['type-rewrites-table:1', 'values-replaced:1']],
    ['create unique index i on a (x)', ['index-locks-writes:1', 'unique-added:1']],
    ['alter type mood rename to temper', ['renamed-type:1']],
    ['alter table a rename constraint c to d', ['dropped-constraint:1']],
    ['alter table a alter column x add generated always as identity', ['always-generated:1']],
    ['alter table a alter column x add generated by default as identity', []],
    ['alter table a alter column x set generated always', ['always-generated:1']],
    ['alter table a alter column x set generated by default', []],
    ['alter table a alter column x drop expression', ['generated-changed:1']],
    ['alter table a alter column x set expression as (y + 1)', ['generated-changed:1']],
    ['alter table a add constraint c unique (x)', ['unique-added:1']],
    ["alter type mood rename value 'x' to 'y'", ['renamed-enum-value:1']],
    ['drop type mood', ['dropped-type:1']],
    ['drop type mood cascade', ['dropped-with-cascade:1']],
    ['drop sequence a_id_seq cascade', ['dropped-with-cascade:1']],
    ['alter table a add column x int; update a set x = 0', ['rows-changed-under-lock:1']],
    [
      'create index i on a (x);\ninsert into b (x) values (1);\nupdate b set x = 2',
      ['index-locks-writes:1', 'rows-changed-under-lock:2'],
    ],
    ['update a set x = 0; alter table a add column y int', []],
    [
      'create table c (x int); alter table c add column y int; create index i on c (x); insert into c (x) values (1)',
      [],
    ],
    ['drop table a cascade', ['dropped-table:1', 'dropped-with-cascade:1']],
    ['alter table a drop column x cascade', ['dropped-column:1', 'dropped-with-cascade:1']],
    ['drop table b cascade', []],
    ['create table c (x int); alter table c drop column x cascade; drop table c cascade', []],
    ['drop table b', []],
    ['create table c (x int); alter table c drop column x; drop table c', []],
    ['alter table a add column x int; create index i on a (x)', ['index-locks-writes:1']],
  ]
  for (const [text, expected] of cases) {
    test(`${text} → ${expected.join(', ') || 'nothing'}`, async () =>
      assert.deepEqual(await rules(text, known), expected))
  }

  test('what the previous version does not use may go', async () => {
    const inUse = (table: string, column?: string) => table === 'a' && column !== 'x'
    assert.deepEqual(await rules('alter table a drop column x', { ...known, inUse }), [])
  })

  test('with CASCADE it may not: it takes along what is used', async () => {
    const inUse = () => false
    for (const text of ['alter table a drop column x cascade', 'drop table a cascade'])
      assert.deepEqual(await rules(text, { ...known, inUse }), ['dropped-with-cascade:1'], text)
  })

  test('rows are changed under no lock that matters where no version uses the table, and in a file of their own', async () => {
    const text = 'alter table a add column x int; update a set x = 0'
    assert.deepEqual(await rules(text, { ...known, inUse: () => false }), [])
    for (const part of text.split(';')) assert.deepEqual(await rules(part, known), [])
  })

  test('NOT NULL on a column that takes no NULL anyway is no danger', async () => {
    const nullable = (_table: string, column: string) => column === 'y'
    const text = 'alter table a alter column x set not null; alter table a alter column y set not null'
    assert.deepEqual(await rules(text, { ...known, nullable }), ['set-not-null:1'])
  })

  test('each danger says what happens and what to do instead', async () => {
    const plan = await planMigration(file('drop table a'), { ...base, ...known })
    assert.equal(plan.ok, false)
    assert.match(plan.findings[0]!.reason, /^a: the installed version/)
    assert.match(plan.findings[0]!.mend!, /in one that comes when no school/)
  })
})

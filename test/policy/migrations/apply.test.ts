import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { after, before, describe, test } from 'node:test'
import type pg from 'pg'
import { checkMigrations, describeCheck } from '../../../policy/migrations/check.ts'
import type { MigrationsCheck } from '../../../policy/migrations/check.ts'
import { checkSql } from '../../../policy/sql/guard.ts'
import { rewriteRuntimeStatement } from '../../../policy/sql/rewrite.ts'
import { startTestDatabase, type TestDatabase } from '../database.ts'

const folder = fileURLToPath(new URL('./fixtures/library', import.meta.url))

/** What the fixtures say, read by a person: column, type, nullable, default. */
const expected = `
book_shelves.id bigint no nextval('shelves_id_seq'::regclass)
book_shelves.mark character varying(20) no -
book_shelves.label character varying(100) yes '-'::character varying
book_shelves.created_at timestamp(0) without time zone yes -
book_shelves.updated_at timestamp(0) without time zone yes -
books.id character(26) no -
books.shelf_id bigint yes -
books.series_id character(26) yes -
books.title character varying(255) no -
books.kind character varying(255) no 'novel'::character varying
books.pages smallint no '0'::smallint
books.price numeric(10,3) yes -
books.lendable boolean no true
books.tags jsonb no '[]'::jsonb
books.meta json yes -
books.bought_on date yes CURRENT_DATE
books.checked_at timestamp(0) with time zone yes -
books.opens time(0) without time zone yes -
books.weight double precision yes -
books.rating double precision yes -
books.cover bytea yes -
books.blurb text yes -
books.deleted_at timestamp(0) without time zone yes -
books.created_at timestamp(3) without time zone yes -
books.updated_at timestamp(3) without time zone yes -
loans.id bigint no nextval('loans_id_seq'::regclass)
loans.student_id character(26) no -
loans.book_id character(26) no -
loans.source_type character varying(255) yes -
loans.source_id bigint yes -
loans.lent_at timestamp(0) without time zone yes -
loans.returned_at timestamp(0) without time zone yes -
loans.fee numeric(8,2) no '0'::numeric
fines.id bigint no -
fines.loan_id bigint yes -
fines.name text no -`
  .trim()
  .split('\n')

let database: TestDatabase
let check: MigrationsCheck
let runtime: pg.Client

before(async () => {
  database = await startTestDatabase(['m_library', 'm_library_rt'])
  await database.client.query(`
    create schema m_library authorization m_library;
    grant usage on schema m_library to m_library_rt;
    alter role m_library set search_path = m_library;
    alter role m_library_rt set search_path = m_library`)
  check = await checkMigrations(folder, {
    schema: 'm_library',
    runtimeRole: 'm_library_rt',
    coreTables: new Set(['students']),
  })
  const owner = await database.connectAs('m_library')
  for (const plan of check.plans) {
    await owner.query('begin')
    for (const { sql, class: kind } of plan.statements) {
      for (const tenant of kind === 'data' ? ['one', 'two'] : ['']) {
        await owner.query(`set local test.tenant = '${tenant}'`)
        await owner.query(sql)
      }
    }
    await owner.query('commit')
  }
  runtime = await database.connectAs('m_library_rt')
})
after(() => database.close())

async function column(sql: string): Promise<string[]> {
  const { rows } = await database.client.query<string[]>({ text: sql, rowMode: 'array' })
  return rows.map((row) => row.join(' '))
}

test('the folder is clean: nothing refused, the base file and the notes skipped', () => {
  assert.equal(check.exitCode, 0, describeCheck(check))
  assert.deepEqual(
    check.skipped.map(({ file, reason }) => `${file} ${reason}`),
    ['0000_00_00_000000_base.php base', 'README.md name'],
  )
  assert.match(describeCheck(check), /loans\.student_id → students\n/)
})

describe('the schema on the server', () => {
  test('has, column by column, what the files say', async () => {
    const found = await column(`
      select c.relname || '.' || a.attname, format_type(a.atttypid, a.atttypmod),
        case when a.attnotnull then 'no' else 'yes' end, coalesce(pg_get_expr(d.adbin, d.adrelid), '-')
      from pg_class c join pg_attribute a on a.attrelid = c.oid
      left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
      where c.relnamespace = 'm_library'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
        and a.attname <> 'tenant_id'`)
    assert.deepEqual(found.map((row) => row.replaceAll('m_library.', '')).toSorted(), expected.toSorted())
  })

  test('protects every table with forced row-level security and the tenant’s policy', async () => {
    const tables = await column(`
      select c.relname, c.relrowsecurity, c.relforcerowsecurity, p.polname, pg_get_expr(p.polqual, c.oid)
      from pg_class c left join pg_policy p on p.polrelid = c.oid
      where c.relnamespace = 'm_library'::regnamespace and c.relkind = 'r' order by 1`)
    const policy = 'true true tenant (tenant_id = ( SELECT gate.tenant() AS tenant))'
    assert.deepEqual(
      tables,
      ['book_shelves', 'books', 'fines', 'loans'].map((name) => `${name} ${policy}`),
    )
  })

  test('has no unique index and no foreign key that does not begin with the tenant', async () => {
    const loose = await column(`
      select i.indexrelid::regclass::text from pg_index i join pg_class c on c.oid = i.indrelid
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
      where c.relnamespace = 'm_library'::regnamespace and i.indisunique and i.indkey[0] <> a.attnum
      union all
      select k.conname from pg_constraint k join pg_class c on c.oid = k.conrelid
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
      where c.relnamespace = 'm_library'::regnamespace and k.contype = 'f' and k.conkey[1] <> a.attnum`)
    assert.deepEqual(loose, [])
  })
})

describe('two schools', () => {
  async function as(tenant: string, text: string): Promise<unknown[]> {
    const checked = checkSql(text, { profile: 'runtime', schema: 'm_library' })
    assert.ok(checked.ok, JSON.stringify(checked))
    const statement = rewriteRuntimeStatement(checked.statements[0]!, { schema: 'm_library' })
    await runtime.query(`set test.tenant = '${tenant}'`)
    return (await runtime.query(statement.text)).rows
  }

  test('each has its own rows of a data migration', async () => {
    assert.deepEqual(await as('one', 'select name from m_library.fines order by name'), [
      { name: 'late' },
      { name: 'lost' },
    ])
    assert.equal((await database.client.query('select 1 from m_library.fines')).rowCount, 4)
  })

  test('may use the same unique value, and meet on conflict only their own', async () => {
    const insert =
      "insert into book_shelves (mark, label) values ('A', 'x') on conflict (mark) do update set label = 'y' returning label"
    assert.deepEqual(await as('one', insert), [{ label: 'x' }])
    assert.deepEqual(await as('two', insert), [{ label: 'x' }])
    assert.deepEqual(await as('one', insert), [{ label: 'y' }])
  })

  test('deleting a shelf clears the reference of the own books and keeps the tenant', async () => {
    await as('one', "insert into books (id, title, shelf_id) select repeat('1', 26), 't', id from book_shelves")
    await as('two', 'delete from book_shelves')
    assert.equal((await as('one', 'select 1 from books where shelf_id is not null')).length, 1)
    await as('one', 'delete from book_shelves')
    assert.deepEqual(await as('one', 'select shelf_id, tenant_id from books'), [{ shelf_id: null, tenant_id: 'one' }])
  })
})

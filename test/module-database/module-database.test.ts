import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { createModuleDatabase, type ModuleDatabase } from '../../host/module-database/module-database.ts'
import { moduleError } from '../../host/module-database/errors.ts'
import { createStatementGuard } from '../../host/module-database/statement-guard.ts'
import { createGuard } from '../../policy/sql/worker.ts'
import { asOwner, provisionWithNotes, secrets, startTestServer, type TestServer, tenantA, tenantB } from './support.ts'

let server: TestServer
let database: ModuleDatabase
const guard = createGuard()
const alpha = { slug: 'alpha', sandbox: false }

before(async () => {
  server = await startTestServer()
  await provisionWithNotes(server, 'alpha')
  database = createModuleDatabase({
    connection: server.connection,
    suffix: '',
    secrets,
    guard: createStatementGuard(guard),
  })
})
after(async () => {
  database.close()
  await guard.close()
  await server.stop()
})

const rows = async (tenant: string, text: string, values: unknown[] = []) =>
  JSON.parse(await database.rows(alpha, tenant, { text, values }))

test('a statement sees and changes the rows of its tenant only', async () => {
  assert.equal(
    await database.execute(alpha, tenantA, {
      text: 'insert into note (id, title) values ($1, $2)',
      values: ['1', 'of A'],
    }),
    1,
  )
  assert.equal(
    await database.execute(alpha, tenantB, {
      text: 'insert into note (id, title) values ($1, $2)',
      values: ['1', 'of B'],
    }),
    1,
  )
  assert.deepEqual(await rows(tenantA, 'select id, title from note'), [{ id: '1', title: 'of A' }])
  assert.equal(
    await database.execute(alpha, tenantB, { text: 'update note set title = title || $1', values: ['!'] }),
    1,
  )
  assert.deepEqual(await rows(tenantB, 'select id, title from m_alpha.note'), [{ id: '1', title: 'of B!' }])
})

test('the sandbox has rows of its own, by the same text', async () => {
  const sandbox = { slug: 'alpha', sandbox: true }
  const text = 'select title from m_alpha.note'
  assert.deepEqual(await rows(tenantA, text), [{ title: 'of A' }])
  assert.equal(await database.rows(sandbox, tenantA, { text }), '[]')
  assert.deepEqual(await rows(tenantA, text), [{ title: 'of A' }])
  await database.execute(sandbox, tenantA, { text: 'insert into note (id) values (1)' })
  assert.equal(await database.rows(sandbox, tenantA, { text: 'select id from m_alpha.note' }), '[{"id":"1"}]')
})

test('values are written as JSON by their types', async () => {
  const [row] = await rows(
    tenantA,
    `select true as yes, 7::int2 as small, 42 as int, 9007199254740991::int8 as safe, 9007199254740993::int8 as big, 1.50 as exact,
       1.5::float8 as float, 'NaN'::float8 as nan, 'a "q" \\ ü' as text, null::text as nothing, '{"a":[1,null]}'::jsonb as doc,
       '[1, 2]'::json as raw, '2026-11-21 02:06:09+02'::timestamptz as moment, '2026-11-21 02:06:09.123456'::timestamp as precise,
       '2026-11-21'::date as day, '\\xdeadbeef'::bytea as bytes, array[1, null, 3] as ints, array[['a', 'b,"c'], ['NULL', null]] as texts,
       array['{"k": 1}'::jsonb] as docs, '{}'::int[] as empty, '1 day 02:00'::interval as span, 'x'::char(3) as padded`,
  )
  assert.deepEqual(row, {
    yes: true,
    small: 7,
    int: 42,
    safe: 9007199254740991,
    big: '9007199254740993',
    exact: '1.50',
    float: 1.5,
    nan: 'NaN',
    text: 'a "q" \\ ü',
    nothing: null,
    doc: { a: [1, null] },
    raw: [1, 2],
    moment: '2026-11-21T00:06:09.000Z',
    precise: '2026-11-21T02:06:09.123456Z',
    day: '2026-11-21',
    bytes: '3q2+7w==',
    ints: [1, null, 3],
    texts: [
      ['a', 'b,"c'],
      ['NULL', null],
    ],
    docs: [{ k: 1 }],
    empty: [],
    span: 'P1DT2H',
    padded: 'x  ',
  })
})

test('values bind as text, number, boolean, null, array and document', async () => {
  const values = ['x', 1.5, true, null, ['a', 'b"\\', null], { deep: [1] }, [1, 2]]
  const text =
    'select $1::text as a, $2::float8 as b, $3::bool as c, $4::text as d, $5::text[] as e, $6::jsonb as f, $7::int[] as g'
  assert.deepEqual(await rows(tenantA, text, values), [
    { a: 'x', b: 1.5, c: true, d: null, e: ['a', 'b"\\', null], f: { deep: [1] }, g: [1, 2] },
  ])
})

test('a list is JSON where its parameter is json or jsonb, and an array where it is one', async () => {
  await asOwner(server, 'alpha', 'live', 'alter table note add column tags jsonb, add column words text[]')
  const insert = 'insert into note (id, tags, words) values ($1, $2, $3) returning tags, words'
  const deep = [[[[[[[[1]]]]]]]]
  const lists = [[], ['a'], [{ a: 1 }], [1, null, 'x"'], [[1], [2, 3]], deep]
  for (const [index, tags] of lists.entries()) {
    const words = index % 2 === 0 ? [] : ['a', null]
    assert.deepEqual(await rows(tenantA, insert, [`list ${index}`, tags, words]), [{ tags, words }])
  }
  const items = [{ a: 1 }, [2, 3], [[4], [5, 6]], [], null]
  assert.deepEqual(await rows(tenantA, 'select $1::jsonb[] as a', [items]), [{ a: items }])
  assert.deepEqual(await rows(tenantA, 'select $1::json as a, $2::jsonb[] as b', [[], [{ a: 1 }]]), [
    { a: [], b: [{ a: 1 }] },
  ])
  const recordset = 'select * from jsonb_to_recordset($1) as r (a int)'
  assert.deepEqual(await rows(tenantA, recordset, [[{ a: 1 }, { a: 2 }]]), [{ a: 1 }, { a: 2 }])
  await assert.rejects(rows(tenantA, 'select $1::int[] as a', [deep]), { code: 'sql_refused' })
})

test('a list where one text stands is refused: as text it equals no id, and `not in` would delete every row', async () => {
  const ids = ['list in 1', 'list in 2']
  await rows(tenantA, 'insert into note (id) select unnest($1::text[]) returning id', [ids])
  for (const text of [
    'delete from note where id not in ($1)',
    'select id from note where id in ($1)',
    `select id from note where id = $1::varchar`,
    'select $1 as x',
    `select id from note where id::bytea <> $1`,
    `select $1::bytea as bytes`,
    `select $1::tsvector @@ 'a'::tsquery as found`,
  ])
    await assert.rejects(rows(tenantA, text, [ids]), { code: 'sql_refused', message: /write = any \(…\)/ }, text)
  assert.deepEqual(await rows(tenantA, 'select id from note where id = any ($1) order by id', [ids]), [
    { id: ids[0] },
    { id: ids[1] },
  ])
  assert.deepEqual(await rows(tenantA, 'select id from note where id = any ($1) and id <> all ($2)', [ids, [ids[0]]]), [
    { id: ids[1] },
  ])
})

test('so it is in a transaction, whose first statement it may be, and a wrong statement fails it like any other', async () => {
  const text = 'select $1::jsonb as within'
  const transaction = await database.transaction(alpha, tenantA)
  for (const list of [[], ['a']])
    assert.equal(await transaction.rows({ text, values: [list] }), JSON.stringify([{ within: list }]))
  await transaction.commit()
  const failing = await database.transaction(alpha, tenantA)
  await failing.rows({ text, values: [null] })
  await assert.rejects(failing.rows({ text: 'select nowhere, $1::jsonb', values: [[]] }), { message: /nowhere/ })
  await assert.rejects(failing.commit(), { message: /nothing was kept/ })
})

test('more values than the protocol counts are refused, not miscounted', async () => {
  for (const count of [10_001, 65_537])
    await assert.rejects(rows(tenantA, 'select $1::int as n', Array(count).fill(1)), { code: 'sql_refused' })
})

test('what the guard refuses never reaches the server', async () => {
  for (const text of [
    'set role postgres',
    'select 1; select 2',
    'select * from m_beta.note',
    'select pg_sleep(1)',
    'create table t (x int)',
    'commit',
  ]) {
    await assert.rejects(rows(tenantA, text), { name: 'ModuleSqlError', code: 'sql_refused' }, text)
  }
})

test("an error names the module's own columns and constraints and no row's values", async () => {
  await database.execute(alpha, tenantA, {
    text: 'insert into note (id, title) values ($1, $2)',
    values: ['taken', 'secret-value'],
  })
  await assert.rejects(
    database.execute(alpha, tenantA, { text: `insert into note (id) values ('taken')` }),
    (error: Error & { code: string; constraint: string }) => {
      assert.deepEqual([error.code, error.constraint], ['unique_violation', 'note_pkey'])
      assert.ok(!JSON.stringify({ ...error, message: error.message }).includes(tenantA))
      return true
    },
  )
  await assert.rejects(database.execute(alpha, tenantA, { text: 'insert into note (title) values (1)' }), {
    code: 'not_null_violation',
    column: 'id',
  })
  await assert.rejects(rows(tenantA, 'select nowhere from note'), {
    code: 'sql_error',
    message: 'column "nowhere" does not exist',
  })
})

test('what the server says of itself is not told', () => {
  for (const code of ['XX000', 'XX001', '58030', '58P01', '55000', 'F0000', 'P0001', '28000']) {
    const { message } = moduleError(Object.assign(new Error('could not read "base/5/1259"'), { code }))
    assert.doesNotMatch(message, /1259/, code)
  }
})

test('one round trip: gate and statement end with one Sync', async () => {
  await rows(tenantA, 'select 1 as warm')
  const syncs = countSyncs()
  await rows(tenantA, 'select 1 as warm')
  await rows(tenantA, 'select 2 as cold')
  assert.equal(syncs.stop(), 2)
})

test('the first list costs a round trip more: what its parameter is, the session knows from then on', async () => {
  const text = 'select $1::jsonb as a, $2::int[] as b'
  const syncs = countSyncs()
  for (const list of [null, [1], [2], []]) await rows(tenantA, text, [list, list])
  assert.equal(syncs.stop(), 5)
})

/** Counts Sync messages ('S', length 4) of every PostgreSQL connection of this process. */
function countSyncs() {
  const { sync } = pg.Connection.prototype
  let count = 0
  pg.Connection.prototype.sync = function (this: pg.Connection) {
    count++
    sync.call(this)
  }
  return {
    stop() {
      pg.Connection.prototype.sync = sync
      return count
    },
  }
}

test('a statement prepared before a migration works after it', async () => {
  const before = await rows(tenantA, `select * from note where id = 'taken'`)
  await asOwner(server, 'alpha', 'live', 'alter table note add column pages int')
  assert.deepEqual(await rows(tenantA, `select * from note where id = 'taken'`), [{ ...before[0], pages: null }])
})

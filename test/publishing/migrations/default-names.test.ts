import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { knownSchema } from '../../../host/publishing/migrations/known-schema.ts'
import type { MigrationFile } from '../../../policy/migrations/folder.ts'
import { replayMigrations } from '../../../policy/migrations/replay.ts'
import type { NamedObject } from '../../../policy/sql/names-in-use.ts'
import { startTestServer, type TestServer } from '../../module-database/support.ts'
import { migration, newModule } from './support.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server.stop())

/** What PostgreSQL calls the indexes and constraints of a schema. */
async function namesIn(schema: string): Promise<string[]> {
  const { rows } = await server.superuser.query(
    `select relname as name from pg_class where relnamespace = $1::regnamespace and relkind = 'i'
      union select conname from pg_constraint where connamespace = $1::regnamespace and contype in ('u', 'f') order by 1`,
    [schema],
  )
  return rows.map(({ name }) => name)
}

const statements = {
  'indexes over expressions':
    'create table a (f text, l text); create index on a (lower(f)); create index on a (lower(l))',
  'a key and indexes of one column': `create table a (f int, unique (f)); create unique index on a (f) where f > 1;
    create index on a (f) where f > 2; create index on a (f desc); alter table a add unique (f)`,
  'keys to two tables': `create table p (id int primary key); create table q (id int primary key);
    create table a (x int references p, y int references p, foreign key (x) references q);
    alter table a add foreign key (x) references p on delete cascade`,
  'names that were written':
    'create table a (f int, constraint a_f_key unique (f), g int); create index a_g_idx on a (f); create index on a (g); alter table a add unique (f)',
  'an index that stays as it is written': `create table a (f text[]); create index on a using gin (f); create index on a (f)`,
  'a name that is free again': `create table a (f int, g int); create index on a (f); drop index a_f_idx; create index on a (f);
    alter table a add unique (g); alter table a drop constraint a_g_key, add unique (g)`,
  'names that go with a column, a table, a key and its index': `create table a (f text, g text unique, h text);
    create index on a (lower(f)); create index on a (lower(h)) where g > ''; alter table a drop column f;
    create index on a (lower(h)); alter table a drop column g; alter table a add column g text unique; create index on a (lower(g));
    create table b (x int, unique (x)); create index on b (x); drop table b; create table b (x int, unique (x)); create index on b (x)`,
  'what is renamed': `create table a (f int unique, g int); create index on a (g); alter table a rename to b;
    create table a (f int unique, g int); create index on a (g); alter index a_g_idx rename to other; create index on a (g);
    alter table b rename constraint a_f_key to b_f_key; alter table a add unique (f); alter table a rename column g to h;
    create index on a (h); alter table a drop column h; alter table b drop column f; alter table a add column h int;
    create index on a (h)`,
  'a constraint called as another table': `create table a (f int); create table b (f int, constraint a check (f > 0), constraint k unique (f));
    alter table a rename to c; alter table k rename to l; create table d (f int, constraint k unique (f)); create index on c (f)`,
  'expressions of every kind': `create table a (f text, l text, n int);
    ${[`f, coalesce(l, '')`, '(f::text)', '(lower(f)::varchar)', 'greatest(f, l)', 'least(f, l)', 'nullif(f, l)']
      .concat([
        '(case when n > 1 then f end), l',
        '(case when n > 1 then f else l end)',
        '(f collate "C")',
        '(array[f])',
      ])
      .concat(['lower(f), lower(l)', 'f, f text_pattern_ops', '(f || l)', '(n::text), (n + 1)', '(null::text), f'])
      .concat([
        'trim(f)',
        '((n + 1)::int4)',
        `(case when n > 1 then 1::int8 else 2 end)`,
        'upper(f), f, lower(f), lower(f), lower(f)',
      ])
      .map((elements) => `create index on a (${elements})`)
      .join('; ')}`,
  'a long name': `create table a (f${'f'.repeat(60)} int); create index on a (f${'f'.repeat(60)}); create index on a (f${'f'.repeat(60)})`,
}

/** How a module's author may spread the statements over files, and these over releases. */
const spreads: Record<string, (sql: string) => MigrationFile[][]> = {
  'one file': (sql) => [[migration(1, sql)]],
  'the files of one release': (sql) => [filesOf(sql)],
  'files of a release each': (sql) => filesOf(sql).map((_, at, files) => files.slice(0, at + 1)),
}
const filesOf = (sql: string) => sql.split(';').map((statement, at) => migration(at + 1, statement))

for (const [where, spread] of Object.entries(spreads))
  for (const [what, sql] of Object.entries(statements))
    test(`unnamed indexes and keys of ${where} are called as the server calls them: ${what}`, async () => {
      const { slug, bring } = await newModule(server, async () => ({ sandbox: [], live: [] }))
      for (const files of spread(sql)) await bring(files, { runningCode: async () => [] })
      await server.superuser.query('create schema plain; set search_path = plain')
      try {
        await server.superuser.query(sql)
        assert.deepEqual(await namesIn(`m_${slug}`), await namesIn('plain'))
      } finally {
        await server.superuser.query('reset search_path; drop schema plain cascade')
      }
    })

test('what the database says of names equals what a replay of the texts says', async () => {
  for (const sql of Object.values(statements)) {
    const { slug, bring } = await newModule(server, async () => ({ sandbox: [], live: [] }))
    const files = filesOf(sql)
    await bring(files, { runningCode: async () => [] })
    const options = { schema: `m_${slug}`, runtimeRole: 'x', coreTables: new Set<string>() }
    const { names } = await replayMigrations(files, options)
    assert.deepEqual(sorted(names.objects), sorted((await knownSchema(server.superuser, `m_${slug}`)).names))
  }
})

const sorted = (names: readonly NamedObject[]) =>
  names
    .map(({ columns, ...rest }) =>
      JSON.stringify({ ...rest, columns: columns.toSorted() }, ['kind', 'name', 'table', 'columns']),
    )
    .toSorted()

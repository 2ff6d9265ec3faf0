import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
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

const files = {
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

for (const [what, sql] of Object.entries(files))
  test(`unnamed indexes and keys of one file are called as the server calls them: ${what}`, async () => {
    const { slug, bring } = await newModule(server, async () => ({ sandbox: [], live: [] }))
    await bring([migration(1, sql)])
    await server.superuser.query('create schema plain; set search_path = plain')
    try {
      await server.superuser.query(sql)
      assert.deepEqual(await namesIn(`m_${slug}`), await namesIn('plain'))
    } finally {
      await server.superuser.query('reset search_path; drop schema plain cascade')
    }
  })

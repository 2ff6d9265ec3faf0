import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { checkSql, loadGuard, type Profile } from '../../../policy/sql/guard.ts'

before(loadGuard)

function ruleOf(sql: string, profile: Profile = 'runtime'): string {
  const result = checkSql(sql, { profile, schema: 'm_alpha' })
  return result.ok ? 'allowed' : result.refusal.rule
}

function each(rule: string, profile: Profile, texts: readonly string[]): void {
  for (const text of texts) {
    test(`${profile}: ${text.slice(0, 100)} → ${rule}`, () => assert.equal(ruleOf(text, profile), rule))
  }
}

describe('the tenant column is the host’s, by every path', () => {
  each('tenant', 'runtime', [
    "insert into note (id, tenant_id) values ('1', 'x')",
    `insert into note (id, "tenant_id") values ('1', 'x')`,
    `insert into note (id, U&"tenant\\005fid") values ('1', 'x')`,
    "insert into note (id) values ('1') on conflict (id) do update set tenant_id = 'x'",
    "update note set tenant_id = 'x'",
    "update note set (body, tenant_id) = ('a', 'x')",
    "update note set (body, tenant_id) = (select 'a', 'x')",
    "with w as (update note set tenant_id = 'x' returning id) select id from w",
    "merge into note n using (select 1 as id) s on n.id = s.id when matched then update set tenant_id = 'x'",
    "merge into note n using (select 1 as id) s on n.id = s.id when not matched then insert (id, tenant_id) values (1, 'x')",
  ])
  each('insert_columns', 'runtime', [
    "insert into note values ('1', 'a', 'x')",
    'insert into note select * from note',
    'with w as (insert into note select * from note returning id) select id from w',
    "merge into note n using (select 1 as id) s on n.id = s.id when not matched then insert values (1, 'a', 'x')",
  ])
  each('tenant', 'migration', [
    'create table a (tenant_id text)',
    'alter table a drop column tenant_id',
    'alter table a alter column tenant_id set default null',
    'alter table a rename column tenant_id to x',
    'alter table a rename column x to tenant_id',
    'alter table a add constraint f foreign key (x, tenant_id) references b (tenant_id, x)',
    'create table a (x text, foreign key (tenant_id, x) references b (tenant_id, x))',
  ])
})

describe('other schemas and the catalog stay closed', () => {
  each('schema', 'runtime', [
    'select 1 from s_alpha.note',
    'select 1 from core.students',
    'select 1 from information_schema.tables',
    'select 1 from pg_catalog.pg_class',
    'select core.note.id from note',
    "select nextval('core.seq')",
    'select 1 from db.m_alpha.note',
  ])
  each('catalog', 'runtime', [
    'select 1 from pg_class',
    'select 1 from "pg_class"',
    'select * from pg_class, (with pg_class as (select 1) select * from pg_class) x',
    'with pg_user as (select 1) select * from pg_user',
  ])
  each('type', 'runtime', [
    "select 'x'::regclass",
    "select 'x'::regrole::text",
    "select 'x'::pg_catalog.oid",
    "select cast('x' as name)",
    "select 'a'::_text",
    "select 'x'::core.mood",
    "select '<a/>'::xml",
  ])
})

describe('functions and operators are the listed ones, however they are written', () => {
  each('function', 'runtime', [
    "select pg_read_file('x')",
    `select "pg_sleep"(1)`,
    "select pg_catalog.set_config('a', 'b', false)",
    'select m_alpha.lower(x) from note',
    "select * from pg_ls_dir('.')",
    "select * from rows from (pg_ls_dir('.')) x",
    'select current_user',
    'select session_user',
    "select nextval('a' || 'b')",
    'select oidvectortypes($1)',
    "select pg_input_is_valid(s, 'regrole') from unnest($1::text[]) s",
  ])
  each('notation', 'runtime', [
    'select n.row_to_json from note n',
    'select (n).record_out from note n',
    'select i.regclass from generate_series(16384, 16999) i',
    'select (i)."regrole" from generate_series(16384, 16999) i',
    "select ('{16384}'::text)._regclass",
    "select ('role'::text).current_setting",
    "select ('16384 16385'::oidvector).oidvectortypes",
    'select (1::int8).pg_advisory_lock',
    "select ('m_alpha.note_id_seq'::text).nextval",
    "select ('/etc/passwd'::text).lo_import, (1::oid).lo_unlink",
  ])
  each('operator', 'runtime', [
    'select 1 operator(public.+) 2',
    'select a from note order by a using operator(public.<)',
  ])
})

describe('migrations may not open what the platform closed', () => {
  each('constraint', 'migration', [
    'alter table a add constraint x exclude using gist (b with =)',
    'alter table a add constraint x foreign key (b) references b on update set null',
  ])
  each('alter', 'migration', ['alter table a disable row level security'])
  each('node', 'migration', ['create table a (like b)'])
  each('create_table', 'migration', [
    'create table a (x int) inherits (b)',
    'create table a (x int) with (fillfactor = 10)',
  ])
  each('statement', 'migration', ['create policy p on a', 'grant select on a to public', 'truncate a', 'begin'])
})

describe('each wall of the guard stands by itself', () => {
  each('function', 'runtime', ["select setval('note_id_seq', 1)"])
  each('catalog', 'runtime', ['with pg_x as (select 1) select 1'])
  each('into', 'runtime', ['select 1 into x'])
  each('override', 'runtime', [
    'insert into note (id) overriding system value values (1)',
    'merge into note n using (select 1 as id) s on n.id = s.id when not matched then insert (id) overriding system value values (1)',
  ])
  each('syscol', 'runtime', ['select ctid from note', 'select (n).xmin from note n'])
  each('operator', 'runtime', ['select 1 operator(m_alpha.=) any (select 1)'])
  each('collation', 'runtime', ['select body collate m_alpha.x from note'])
  each('type', 'runtime', ["select 'x'::pg_catalog.nosuch"])
  each('size', 'runtime', [`select '${'ك'.repeat(33_000)}'`])
  each('function', 'migration', ['create table a (x int default generate_series(1, 2))'])
  each('lock', 'migration', ['insert into a (x) select x from b for update'])
  each('catalog', 'migration', ['create table information_schema (id int)'])
  each('constraint', 'migration', [
    'create table a (x int references b (id) on update set default)',
    'create table a (x int, p daterange, unique (x, p without overlaps))',
  ])
  each('tenant', 'migration', [
    'create table a (x int, foreign key (x) references b (id) on delete set null (tenant_id))',
  ])
  each('create_table', 'migration', ['create table a (x int) partition by list (x)'])
  each('rename', 'migration', ['alter schema m_alpha rename to m_beta', 'alter policy p on a rename to q'])
  each('index', 'migration', ['create index i on note using bloom (body)'])
  each('operator class', 'migration', ['create index i on note (body m_beta.ops)'])
  each('sequence', 'migration', [
    'create sequence s unlogged',
    'create table t (n int generated always as identity (sequence name core.x))',
    'alter table t alter n add generated always as identity (sequence name core.x)',
    'alter table t add m int generated by default as identity (logged)',
    'alter table t alter n set generated always set sequence name core.x',
  ])
})

describe('ordinary work passes', () => {
  each('allowed', 'runtime', [
    'select * from m_alpha.note n join loan l using (id) where l.id = any($1) order by n.title desc limit $2 offset $3',
    'select count(*) filter (where x) over (partition by y order by z rows between 1 preceding and current row) from note',
    'insert into note (id, body) values ($1, $2), ($3, default) on conflict (id) do update set body = excluded.body returning *',
    'insert into note default values',
    'merge into note n using (select 1 as id) s on n.id = s.id when not matched then insert (id) values (1) when matched then delete',
    "select date_trunc('day', now()), extract(year from current_date), coalesce(a, b), greatest(a, 1) from note",
    "select j->>'a', j @> '{}'::jsonb, json_object('a': 1), (array[1,2])[1], (row(1,2)) from note",
    'with recursive t(n) as (values (1) union all select n + 1 from t where n < 5) select n from t',
    "select to_tsvector('simple', body) @@ plainto_tsquery('simple', $1) from note",
    "select json_objectagg(a : b), json_arrayagg(a order by b), json('{}'), json_scalar(1), json_serialize(j) from note",
    "select json_value(j, '$.a' returning int default 0 on empty), json_exists(j, '$.b'), j is json object from note",
    'select id from note for update skip locked',
    "select trim(title), trim(both 'x' from title), starts_with(title, 'a'), array_cat(tags, '{a}') from note",
    "select convert_from(data, 'UTF8'), convert_to(title, 'UTF8') from note",
    'select o.lo_id, o.lo_code, (o).lo_level, p.txid_number from outcome o join payment p using (id) order by o.lo_name',
    'select a from note tablesample system (10) cross join lateral unnest(tags) with ordinality u(tag, n)',
  ])
  each('allowed', 'migration', [
    'create table t (n bigint generated always as identity (start with 100 increment by 2 cache 5))',
    'alter table t alter n set generated by default restart with 5',
    "create table a (id bigserial primary key, s varchar(255) not null default 'x', m mood, n numeric(10,2), t timestamptz default now())",
    "create table c (name text check (trim(name) <> ''))",
    "create type mood as enum ('a', 'b'); alter type mood add value 'c'",
    'create table b (a_id bigint not null references m_alpha.a (id) on delete cascade, check (a_id > 0))',
    'create index concurrently i on a using btree (lower(s) desc nulls last) where s is not null',
    'alter table a alter column s type text using s::text, alter column n set not null, drop constraint if exists k',
    'update a set s = (select max(s) from b) where s is null; delete from b',
  ])
})

describe('what is no SQL', () => {
  each('nul', 'runtime', ['select 1\0; drop table x'])
  each('utf16', 'runtime', ["select '\ud800'"])
  each('empty', 'runtime', ['', ' -- only a comment'])
  each('multi', 'runtime', ['select 1; select 2'])
  each('size', 'runtime', [`select '${'x'.repeat(66_000)}'`])
  each('depth', 'runtime', [`select ${'abs('.repeat(600)}1${')'.repeat(600)}`])
})

test('a refusal names the line of the place, a statement the line of its first word', () => {
  const result = checkSql('-- é\nselect 1,\n  é,\n  pg_sleep(1)', { profile: 'runtime', schema: 'm_alpha' })
  assert.equal(result.ok || result.refusal.line, 4)
})

describe('what a migration may not say is named as it was written, with what to write instead', () => {
  const cases: [string, RegExp, RegExp][] = [
    ['begin', /^BEGIN, COMMIT or ROLLBACK is not allowed in a migration$/, /each file is one transaction/],
    ["set search_path = 'x'", /^SET is/, /leave it out/],
    ['create trigger t before insert on a execute function f()', /^CREATE TRIGGER is/, /module’s code/],
    ['alter table a enable row level security', /^ENABLE ROW LEVEL SECURITY is/, /own rows/],
    ['create policy p on a', /^CREATE POLICY is/, /own rows/],
    ['create view v as select 1', /^CREATE VIEW is/, /where it is used/],
    ['create table b as select 1', /^CREATE TABLE AS/, /then INSERT/],
    ['truncate a', /^TRUNCATE is/, /DELETE and WHERE/],
    ['create table b (x int) partition by range (x)', /^CREATE TABLE with PARTITION BY$/, /one table/],
    ['create table b (like a)', /^LIKE in CREATE TABLE is/, /write the columns/],
    ['create domain d as text', /^CREATE DOMAIN is/, /CHECK/],
    ['select 1', /^SELECT does nothing/, /leave it out/],
  ]
  for (const [text, reason, mend] of cases) {
    test(text, () => {
      const result = checkSql(text, { profile: 'migration', schema: 'm_alpha' })
      assert.ok(!result.ok)
      assert.match(result.refusal.reason, reason)
      assert.match(result.refusal.mend ?? '', mend)
    })
  }

  test('at run time a table is sent to a migration', () => {
    const result = checkSql('create table a (id int)', { profile: 'runtime', schema: 'm_alpha' })
    assert.match(result.ok ? '' : (result.refusal.mend ?? ''), /in a migration/)
  })
})

import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { checkSql, loadGuard } from '../../../policy/sql/guard.ts'
import { RewriteRefused, rewriteMigrationStatement, rewriteRuntimeStatement } from '../../../policy/sql/rewrite.ts'

const schema = 'm_alpha'
const runtimeRole = 'm_alpha_rt'

before(loadGuard)

function migrate(text: string, runSchema = schema): string[] {
  const checked = checkSql(text, { profile: 'migration', schema })
  assert.ok(checked.ok, JSON.stringify(checked))
  return checked.statements.flatMap((statement) =>
    rewriteMigrationStatement(statement, { schema, runSchema, runtimeRole }),
  )
}

function run(text: string, runSchema = schema) {
  const checked = checkSql(text, { profile: 'runtime', schema })
  assert.ok(checked.ok, JSON.stringify(checked))
  return rewriteRuntimeStatement(checked.statements[0]!, { schema, runSchema })
}

describe('tenant form of definitions', () => {
  test('a table gets the tenant column, a tenant-first key, forced row-level security and grants', () => {
    assert.deepEqual(migrate('create table note (id text primary key, body text)'), [
      'CREATE TABLE note (id text, body text, tenant_id text NOT NULL DEFAULT gate.tenant(), PRIMARY KEY (tenant_id, id))',
      'alter table "note" enable row level security',
      'alter table "note" force row level security',
      'create policy tenant on "note" using (tenant_id = (select gate.tenant())) with check (tenant_id = (select gate.tenant()))',
      'grant select, insert, update, delete on "note" to "m_alpha_rt"',
    ])
  })

  test('unique and foreign keys begin with the tenant and keep the names PostgreSQL would have given them', () => {
    const [table] = migrate(
      'create table a (id int primary key, email text unique, b int references b on delete set null)',
    )
    assert.match(table!, /CONSTRAINT a_email_key UNIQUE \(tenant_id, email\)/)
    assert.match(table!, /CONSTRAINT a_b_fkey FOREIGN KEY \(tenant_id, b\) REFERENCES b ON DELETE SET NULL \(b\)/)
  })

  test('a key added with a column becomes a tenant-first constraint of the table', () => {
    assert.deepEqual(migrate('alter table a add column code text unique'), [
      'ALTER TABLE a ADD COLUMN code text, ADD CONSTRAINT a_code_key UNIQUE (tenant_id, code)',
    ])
  })

  test('unique and btree indexes begin with the tenant, others stay as written', () => {
    assert.deepEqual(migrate('create unique index on a (lower(email)) where x > 1'), [
      'CREATE UNIQUE INDEX a_lower_idx ON a (tenant_id, (lower(email))) WHERE x > 1',
    ])
    assert.deepEqual(migrate('create index i on a (b)'), ['CREATE INDEX i ON a (tenant_id, b)'])
    assert.deepEqual(migrate('create index i on a using gin (tags)'), ['create index i on a using gin (tags)'])
  })

  test('tenant_id written last in a unique key is moved to the front', () => {
    assert.deepEqual(migrate('alter table a add constraint k unique (email, tenant_id)'), [
      'ALTER TABLE a ADD CONSTRAINT k UNIQUE (tenant_id, email)',
    ])
  })

  test('a serial column lets the runtime role use its sequence', () => {
    assert.ok(
      migrate('create table a (id bigserial primary key)').includes(
        'grant usage on all sequences in schema "m_alpha" to "m_alpha_rt"',
      ),
    )
  })

  test('what the deparser would lose is refused, not run without it', () => {
    assert.throws(() => migrate('create table a (x int, unique (x) include (y))'), RewriteRefused)
  })

  test('in the sandbox every name of the own schema moves', () => {
    assert.deepEqual(
      migrate(
        `alter table m_alpha.a rename column x to y; comment on column m_alpha.a.y is 'c'; drop table m_alpha.a, b;
         create type m_alpha.mood as enum ('x'); alter sequence s owned by m_alpha.a.y`,
        's_alpha',
      ).slice(0, 5),
      [
        'ALTER TABLE s_alpha.a RENAME COLUMN x TO y',
        "COMMENT ON COLUMN s_alpha.a.y IS 'c'",
        'DROP TABLE s_alpha.a, b',
        "CREATE TYPE s_alpha.mood AS ENUM ('x')",
        'ALTER SEQUENCE s OWNED BY s_alpha.a.y',
      ],
    )
  })
})

describe('run-time statements', () => {
  test('go to the server exactly as written when nothing needs the tenant', () => {
    const text = 'select /* keep */ a  from m_alpha.note where b = $1 -- end'
    assert.deepEqual(run(text), { text, kind: 'rows' })
  })

  test('a conflict target gains the tenant in place, the rest keeps its form', () => {
    assert.deepEqual(run("insert into note (e) values ('é') on conflict  ( /* k */ e) where e > '' do nothing"), {
      text: "insert into note (e) values ('é') on conflict  (tenant_id,  /* k */ e) where e > '' do nothing",
      kind: 'command',
    })
  })

  test('a conflict target with the tenant, or with a constraint, stays', () => {
    for (const target of ['(tenant_id, e)', 'on constraint note_e_key', '']) {
      const text = `insert into note (e) values ($1) on conflict ${target} do nothing`
      assert.equal(run(text).text, text)
    }
  })

  test('a conflict target inside WITH is found', () => {
    const text = 'with w as (insert into note (e) values (1) on conflict (e) do nothing returning e) select e from w'
    assert.equal(run(text).text, text.replace('(e) do', '(tenant_id, e) do'))
  })

  test('in the sandbox qualified tables, types, columns and sequences move, text that looks like them does not', () => {
    assert.equal(
      run(
        `update "m_alpha".note set s = 'm_alpha.note', n = nextval('m_alpha.seq'), m = 'x'::m_alpha.mood
         where M_ALPHA.note.id = $1 returning id`,
        's_alpha',
      ).text,
      `update s_alpha.note set s = 'm_alpha.note', n = nextval('s_alpha.seq'), m = 'x'::s_alpha.mood
         where s_alpha.note.id = $1 returning id`,
    )
  })

  test('a schema name in an unusual spelling is written out anew', () => {
    assert.equal(run('select 1 from U&"m\\005falpha".note', 's_alpha').text, 'SELECT 1 FROM s_alpha.note')
  })

  test('kind says whether rows come back', () => {
    assert.equal(run('delete from note where id = 1').kind, 'command')
    assert.equal(run('delete from note where id = 1 returning id').kind, 'rows')
    assert.equal(run('with d as (delete from note returning id) update note set a = 1').kind, 'command')
  })
})

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { prepareModuleDatabase } from '../../host/module-database/prepare.ts'
import { dropModule, provisionModule, raiseConnectionLimits } from '../../host/module-database/provision.ts'
import { moduleRoleNames } from '../../host/module-database/role-names.ts'
import {
  asOwner,
  noteTable,
  provisionWithNotes,
  secrets,
  startTestServer,
  type TestServer,
  tenantA,
  tenantB,
} from './support.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
  await provisionWithNotes(server, 'alpha')
  await provisionWithNotes(server, 'beta')
})
after(() => server.stop())

const enter = (role: string, tenant: string) => ({
  text: 'select gate.enter($1, $2)',
  values: [tenant, secrets.gateSecretOf(role)],
})

test('preparing twice changes nothing and costs one look', async () => {
  const again = await prepareModuleDatabase(server.superuser, {
    database: server.database,
    suffix: '',
    coreRoles: ['test_core'],
  })
  assert.deepEqual(again, { gate: 'parameter', missing: [] })
})

test('a host with more processes raises the limits of modules that are there, one with fewer lowers none', async () => {
  const limits = async () => {
    const { rows } = await server.superuser.query(
      `select rolname, rolconnlimit from pg_roles where rolname ~ '^[ms]_alpha' order by 1`,
    )
    return rows.map(({ rolname, rolconnlimit }) => `${rolname} ${rolconnlimit}`)
  }
  const of = (connections: number) => [
    'm_alpha 1',
    `m_alpha_rt ${connections}`,
    's_alpha 1',
    `s_alpha_rt ${connections}`,
  ]
  assert.deepEqual(await limits(), of(20))
  await raiseConnectionLimits(server.superuser, 48)
  assert.deepEqual(await limits(), of(48))
  await raiseConnectionLimits(server.superuser, 24)
  assert.deepEqual(await limits(), of(48))
})

test("the gate shows one tenant's rows and stamps new ones with it", async () => {
  const client = await server.connect('m_alpha_rt')
  for (const tenant of [tenantA, tenantB]) {
    await client.query('begin')
    await client.query(enter('m_alpha_rt', tenant))
    await client.query('insert into note (id, title) values ($1, $2)', ['1', tenant])
    const { rows } = await client.query('select title, tenant_id from note')
    assert.deepEqual(rows, [{ title: tenant, tenant_id: tenant }])
    await client.query('commit')
  }
  assert.deepEqual((await client.query('select * from note')).rows, [])
})

test("a wrong gate secret, another role's secret and a set parameter enter nothing", async () => {
  const client = await server.connect('m_alpha_rt')
  await assert.rejects(client.query('select gate.enter($1, $2)', [tenantA, 'guess']), { code: '42501' })
  await assert.rejects(client.query('select gate.enter($1, $2)', [tenantA, secrets.gateSecretOf('m_beta_rt')]), {
    code: '42501',
  })
  await assert.rejects(client.query(`set backtrace_functions = '${tenantA}'`), { code: '42501' })
  await assert.rejects(client.query(`select set_config('backtrace_functions', '${tenantA}', false)`), { code: '42501' })
  assert.deepEqual((await client.query('select gate.tenant()')).rows, [{ tenant: null }])
})

test('the owner cannot sign in between runs, nor before the first', async () => {
  await provisionModule(server.superuser, { slug: 'fresh', database: server.database, suffix: '', ...secrets })
  await assert.rejects(server.connect('m_fresh'), { code: '28000' })
  await assert.rejects(server.connect('m_alpha'), { code: '28000' })
})

test('a runtime role reaches neither another module, the sandbox twin nor the host', async () => {
  const client = await server.connect('m_alpha_rt')
  for (const text of [
    'select * from m_beta.note',
    'select * from s_alpha.note',
    'select * from gate.secret',
    'select * from module_host.history',
    'select * from pg_catalog.pg_class',
    'select * from information_schema.tables',
    'create table evil (x int)',
    'truncate note',
    'alter table note add column x int',
    'do $$ begin end $$',
    'create function f() returns int language sql as $$ select 1 $$',
    'select pg_advisory_lock(1)',
    'select pg_terminate_backend(1)',
  ]) {
    await assert.rejects(client.query(text), { code: '42501' }, text)
  }
})

test('the third wall refuses what leaves a way around the tenant, at the latest at commit', async () => {
  for (const script of [
    'create table bare (id int)',
    'alter table note disable row level security',
    'alter table note no force row level security',
    'create unique index on note (title)',
    'create table child (id text primary key)',
    'create policy everyone on note using (true)',
    'grant select on note to m_beta_rt',
    'grant truncate on note to m_alpha_rt',
    'begin; set constraints all immediate; alter table note disable row level security; commit',
  ]) {
    await assert.rejects(asOwner(server, 'alpha', 'live', script), { code: '42501' }, script)
  }
})

test('the third wall refuses commands that are not on its list, and every command of a runtime role', async () => {
  const refused = { code: '42501', message: /^a module may not run / }
  for (const script of [
    'create view v as select 1',
    'drop policy tenant on note',
    'create schema evil',
    'create table t as select 1',
    'alter policy tenant on note using (true)',
    'grant select on note to m_beta_rt',
    'alter default privileges grant select on tables to m_beta_rt',
    'create function f() returns int language sql as $$ select 1 $$',
    'create trigger t before update on note for each row execute function suppress_redundant_updates_trigger()',
    'create rule r as on select to note do instead nothing',
    'create domain d as int',
  ]) {
    await assert.rejects(asOwner(server, 'alpha', 'live', script), refused, script)
  }
  const client = await server.connect('m_alpha_rt')
  for (const text of ['create table evil (x int)', 'create temp table evil (x int)', 'alter table note add x int'])
    await assert.rejects(client.query(text), refused, text)
})

const ownPolicy = '(tenant_id = (select gate.tenant()))'
const walled = (name: string, policy: string) =>
  `alter table ${name} enable row level security; alter table ${name} force row level security; create policy tenant on ${name} ${policy}`
const full = `using ${ownPolicy} with check ${ownPolicy}`
const columns = `id text, tenant_id text not null default gate.tenant(), parent text, primary key (tenant_id, id)`
const made = (policy: string) => `create table t (${columns}); ${walled('t', policy)}`
const child = (key: string) => `${made(full)}; alter table t add foreign key ${key}`

/** As the superuser, whom neither a grant nor the list of commands stops: what the audit says by itself. */
for (const [defect, scripts] of Object.entries({
  'it is not permanent': [`create unlogged table t (${columns}); ${walled('t', full)}`],
  'row-level security is off': [
    'alter table note disable row level security',
    'alter table note no force row level security',
  ],
  'the tenant policy is missing or changed': [
    'drop policy tenant on note',
    `create policy other on note ${full}`,
    made(`using (true) with check ${ownPolicy}`),
    made(`using ${ownPolicy} with check (true)`),
    made(`using ${ownPolicy}`),
    made(`for update ${full}`),
    made(`to m_alpha_rt ${full}`),
    made(`as restrictive ${full}`),
  ],
  'tenant_id is missing or may be null': [
    `create table t (id text, tenant_id text default gate.tenant()); ${walled('t', full)}`,
  ],
  'a unique key does not begin with tenant_id': [
    'create unique index on note (title)',
    'create unique index on note (title, tenant_id)',
    'alter table note add exclude (title with =)',
  ],
  'a foreign key does not begin with tenant_id or leaves the schema': [
    child('(parent, tenant_id) references note (tenant_id, id)'),
    child('(tenant_id, parent) references note (id, tenant_id)'),
    child('(tenant_id, parent) references m_beta.note (tenant_id, id)'),
  ],
  'it has a trigger, a rule or a parent, or its keys are disabled': [
    'create trigger t before update on note for each row execute function suppress_redundant_updates_trigger()',
    'create rule r as on insert to note do also nothing',
    `create table t (primary key (tenant_id, id)) inherits (m_beta.note); ${walled('t', full)}`,
    `${child('(tenant_id, parent) references note (tenant_id, id)')}; alter table t disable trigger all`,
  ],
  'it is granted to someone else': [
    'grant select on note to m_beta_rt',
    'grant truncate on note to m_alpha_rt',
    'grant select on note to public',
  ],
  'grant on the schema': ['grant usage on schema m_alpha to m_beta_rt'],
  'relation of kind': ['create view v as select 1', 'create materialized view v as select 1'],
  function: ['create function f() returns int language sql as $$ select 1 $$'],
  operator: ['create operator === (leftarg = int, rightarg = int, function = int4eq)'],
  type: ['create domain d as int'],
  conversion: [`create conversion c for 'LATIN1' to 'UTF8' from iso8859_1_to_utf8`],
  collation: ['create collation c from "C"'],
  'operator class': ['create operator class c for type int using btree as operator 1 <'],
  'text search': ['create text search dictionary d (template = simple)'],
})) {
  test(`the audit finds: ${defect}`, async () => {
    for (const script of scripts) {
      await server.superuser.query(`begin; set local search_path = m_alpha; ${script}`)
      const audit = server.superuser.query(`select module_host.audit_schema('m_alpha')`)
      await assert
        .rejects(audit, { code: '42501', message: new RegExp(`: ${defect}\\b`) }, script)
        .finally(() => server.superuser.query('rollback'))
    }
  })
}

test("a module's roles have no attribute of their own but to sign in, and nobody else connects to a database here", async () => {
  const { rows } = await server.superuser.query(
    `select rolname as name from pg_roles where rolname ~ '^[ms]_(alpha|beta)'
        and (rolsuper or rolcreatedb or rolcreaterole or rolreplication or rolbypassrls or rolinherit)
      union all select datname from pg_database
        where datallowconn and has_database_privilege('public', oid, 'connect, temporary')`,
  )
  assert.deepEqual(rows, [])
})

test("what the server itself bounds for a module's sessions", async () => {
  const bounds = {
    ...{ statement_timeout: '2s', lock_timeout: '1s', transaction_timeout: '5s' },
    ...{ idle_in_transaction_session_timeout: '5s', temp_file_limit: '64MB', work_mem: '4MB' },
    ...{ max_parallel_workers_per_gather: '0', jit: 'off', row_security: 'on' },
    // Statements and values of modules stay out of the server's log.
    ...{ log_min_messages: 'fatal', log_min_error_statement: 'panic' },
  }
  const { rows } = await server.superuser.query<{ rolconfig: string[] }>(
    `select rolconfig from pg_roles where rolname in ('m_alpha_rt', 's_alpha_rt')`,
  )
  assert.equal(rows.length, 2)
  for (const { rolconfig } of rows)
    for (const [name, value] of Object.entries(bounds)) assert.ok(rolconfig.includes(`${name}=${value}`), name)
})

test("the host's own role keeps what it needs, and no more", async () => {
  const client = await server.connect('test_core')
  for (const text of [`select pg_read_file('PG_VERSION')`, `select pg_ls_dir('.')`, `select lo_import('PG_VERSION')`])
    await assert.rejects(client.query(text), { code: '42501' }, text)
  await client.query(
    `begin; select set_config('core.tenant', 'x', true), current_setting('core.tenant', true), now(), gen_random_uuid(); select pg_advisory_xact_lock(1), pg_try_advisory_xact_lock(2, 3); select pg_notify('a', 'b'); listen a; commit`,
  )
})

test('a dropped module leaves no role, no schema, no secret and nothing that its successor would be taken for', async () => {
  await provisionWithNotes(server, 'gone')
  await server.connect('m_gone_rt')
  await server.superuser.query(`
    insert into module_host.history values ('m_gone', '2026_01_01_000001', 'x', 'x', 'x', 1, '[]');
    insert into module_host.runner values ('m_gone', '');
    insert into module_host.tenant_data values ('m_gone', '${tenantA}', '2026_01_01_000001');
    insert into module_host.erased values ('m_gone', '${tenantA}', 'one', 'note', 1)`)
  await dropModule(server.superuser, { slug: 'gone', suffix: '' })
  const known = ['modules', 'history', 'runner', 'tenant_data', 'erased']
  const left = await server.superuser.query(
    `select rolname from pg_roles where rolname ~ '^._gone' union all select nspname from pg_namespace where nspname ~ '_gone' union all select role from gate.secret where role ~ '_gone'
      ${known.map((table) => `union all select '${table}' from module_host.${table} where schema ~ '_gone'`).join(' ')}`,
  )
  assert.deepEqual(left.rows, [])
})

test('what is no slug or no suffix names no role', () => {
  for (const slug of ['', 'a', 'Alpha', '1st', '_x', 'a-b', 'a.b', 'a b', 'a"b', 'é1', `a${'b'.repeat(40)}`, 'ab\n'])
    assert.throws(() => moduleRoleNames(slug, { suffix: '' }), /not a module slug/, slug)
  for (const suffix of ['_', 'x', '_0123ABCD', '_0123abcd0', ' _0123abcd', '_0123abcd\n'])
    assert.throws(() => moduleRoleNames('alpha', { suffix }), /not a role suffix/, suffix)
})

test('a slug that ends like a runtime role has roles of its own', async () => {
  await provisionWithNotes(server, 'alpha_rt')
  assert.ok(noteTable)
  const client = await server.connect('m_alpha_rt_rt')
  await assert.rejects(client.query('select * from m_alpha.note'), { code: '42501' })
})

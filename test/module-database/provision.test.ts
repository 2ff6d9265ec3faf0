import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { prepareModuleDatabase } from '../../host/module-database/prepare.ts'
import { dropModule, raiseConnectionLimits } from '../../host/module-database/provision.ts'
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

test('the owner cannot sign in between runs', async () => {
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

test('the third wall refuses commands that are not on its list', async () => {
  for (const script of [
    'create view v as select 1',
    'drop policy tenant on note',
    'create schema evil',
    'create table t as select 1',
    'alter policy tenant on note using (true)',
  ]) {
    await assert.rejects(asOwner(server, 'alpha', 'live', script), { code: '42501' }, script)
  }
})

test("the host's own role keeps what it needs", async () => {
  const client = await server.connect('test_core')
  await client.query(
    `begin; select set_config('core.tenant', 'x', true), current_setting('core.tenant', true), now(), gen_random_uuid(); select pg_advisory_xact_lock(1), pg_try_advisory_xact_lock(2, 3); select pg_notify('a', 'b'); listen a; commit`,
  )
})

test('a dropped module leaves no role, no schema and no secret', async () => {
  await provisionWithNotes(server, 'gone')
  await server.connect('m_gone_rt')
  await dropModule(server.superuser, { slug: 'gone', suffix: '' })
  const left = await server.superuser.query(
    `select rolname from pg_roles where rolname ~ '^._gone' union all select nspname from pg_namespace where nspname ~ '_gone' union all select role from gate.secret where role ~ '_gone'`,
  )
  assert.deepEqual(left.rows, [])
})

test('a slug that ends like a runtime role has roles of its own', async () => {
  await provisionWithNotes(server, 'alpha_rt')
  assert.ok(noteTable)
  const client = await server.connect('m_alpha_rt_rt')
  await assert.rejects(client.query('select * from m_alpha.note'), { code: '42501' })
})

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eraseModuleRows } from '../../../host/publishing/migrations/erase-rows.ts'
import { importMigrations } from '../../../host/publishing/migrations/import.ts'
import { prepareModuleDatabase } from '../../../host/module-database/prepare.ts'
import { provisionModule } from '../../../host/module-database/provision.ts'
import { moduleRoleNames } from '../../../host/module-database/role-names.ts'
import { secrets, startTestServer, type TestServer, tenantA, tenantB } from '../../module-database/support.ts'
import { importTarget, migration, plan } from './support.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server.stop())

const slug = 'circles'
const erase = (tenantId: string, installationId = 'one') =>
  eraseModuleRows({ ...importTarget(server, slug), kind: 'live', tenantId, installationId })

test('every row of one school goes, whatever keys lie between, and no other school loses one', async () => {
  await provisionModule(server.superuser, { slug, database: server.database, suffix: '', ...secrets })
  await importMigrations({
    ...importTarget(server, slug),
    files: [
      migration(
        1,
        `create table parents (id text primary key, best text);
        create table children (id text primary key, parent text not null references parents (id) on delete restrict);
        create table pets (id text primary key, child text references children (id) on delete cascade, friend text references pets (id));
        create table empty (id text primary key);
        alter table parents add foreign key (best) references children (id)`,
      ),
      migration(
        2,
        `insert into parents (id) values ('1'), ('2'); insert into children (id, parent) values ('1', '1'), ('2', '2'), ('3', '2');
        update parents set best = '3' where id = '2'; insert into pets (id, child) values ('1', '1'); update pets set friend = '1'`,
      ),
    ],
    plan,
    release: '1',
    tenants: async () => ({ sandbox: [tenantA], live: [tenantA, tenantB] }),
  })
  assert.deepEqual(await erase(tenantA), { children: 3, parents: 2, pets: 1 })
  const { rows } = await server.superuser.query(
    `select (select count(*)::int from m_${slug}.children where tenant_id = $1) as other,
      (select count(*)::int from s_${slug}.children) as sandbox`,
    [tenantB],
  )
  assert.deepEqual(rows[0], { other: 3, sandbox: 3 })
  const given = await server.superuser.query('select schema, tenant_id from module_host.tenant_data order by 1, 2')
  assert.deepEqual(given.rows, [
    { schema: `m_${slug}`, tenant_id: tenantB },
    { schema: `s_${slug}`, tenant_id: tenantA },
  ])
})

test('a repeat answers what went before, for the installation that it went for', async () => {
  assert.deepEqual(await erase(tenantA), { children: 3, parents: 2, pets: 1 })
  assert.deepEqual(await erase(tenantA, 'two'), {})
  // Rows that stay are not looked at: what went is the school's own, of this schema.
  const kept = { ...importTarget(server, slug), installationId: 'one', isKept: async () => true }
  assert.deepEqual(await eraseModuleRows({ ...kept, kind: 'live', tenantId: tenantB }), {})
  assert.deepEqual(await eraseModuleRows({ ...kept, kind: 'sandbox', tenantId: tenantA }), {})
})

test('rows that came after a run that was cut short are counted with those before', async () => {
  await server.superuser.query(`insert into m_${slug}.pets (tenant_id, id) values ($1, 'late')`, [tenantA])
  assert.deepEqual(await erase(tenantA), { children: 3, parents: 2, pets: 2 })
})

test('an owner that was made before erasures were counted may count them', async () => {
  const { owner } = moduleRoleNames(slug, { suffix: '', kind: 'live' })
  await server.superuser.query(`
    revoke execute on function module_host.record_erasure(text, text, jsonb, text) from ${owner};
    update module_host.installed set version = 'before'`)
  await assert.rejects(erase(tenantA), /permission denied/)
  await prepareModuleDatabase(server.superuser, { database: server.database, suffix: '', coreRoles: ['test_core'] })
  assert.deepEqual(await erase(tenantA, 'three'), {})
})

test('who guesses the secret of a run counts nothing', async () => {
  await server.superuser.query(`alter role ${moduleRoleNames(slug, { suffix: '', kind: 'live' }).owner} login`)
  const owner = await server.connect(moduleRoleNames(slug, { suffix: '', kind: 'live' }).owner)
  const guess = `select module_host.record_erasure('${tenantA}', 'one', '{"pets": 7}', 'guess')`
  await assert.rejects(owner.query(guess), { code: '42501', message: 'refused' })
})

test('a module without a table has nothing to erase', async () => {
  await provisionModule(server.superuser, { slug: 'bare', database: server.database, suffix: '', ...secrets })
  assert.deepEqual(
    await eraseModuleRows({
      ...importTarget(server, 'bare'),
      ...{ kind: 'live', tenantId: tenantA, installationId: 'one' },
    }),
    {},
  )
})

test('a row that stays behind is an error, never a clean certificate', async () => {
  await server.superuser.query(`
    create function keep() returns trigger language plpgsql as 'begin return null; end';
    create trigger keep before delete on m_${slug}.pets for each row execute function keep();
    alter table m_${slug}.pets enable always trigger keep`)
  await assert.rejects(erase(tenantB), /left 1 rows|violates foreign key/)
})

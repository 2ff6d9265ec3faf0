import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eraseModuleRows } from '../../../host/publishing/migrations/erase-rows.ts'
import { importMigrations } from '../../../host/publishing/migrations/import.ts'
import { provisionModule } from '../../../host/module-database/provision.ts'
import { secrets, startTestServer, type TestServer, tenantA, tenantB } from '../../module-database/support.ts'
import { importTarget, migration, plan } from './support.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server.stop())

const slug = 'circles'
const erase = (tenantId: string) => eraseModuleRows({ ...importTarget(server, slug), kind: 'live', tenantId })

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
  assert.deepEqual(await erase(tenantA), {})
})

test('a module without a table has nothing to erase', async () => {
  await provisionModule(server.superuser, { slug: 'bare', database: server.database, suffix: '', ...secrets })
  assert.deepEqual(await eraseModuleRows({ ...importTarget(server, 'bare'), kind: 'live', tenantId: tenantA }), {})
})

test('a row that stays behind is an error, never a clean certificate', async () => {
  await server.superuser.query(`
    create function keep() returns trigger language plpgsql as 'begin return null; end';
    create trigger keep before delete on m_${slug}.pets for each row execute function keep()`)
  await assert.rejects(erase(tenantB), /left 1 rows|violates foreign key/)
})

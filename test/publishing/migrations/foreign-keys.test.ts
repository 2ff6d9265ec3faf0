import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { provisionModule } from '../../../host/module-database/provision.ts'
import { importMigrations } from '../../../host/publishing/migrations/import.ts'
import { secrets, startTestServer, type TestServer, tenantA, tenantB } from '../../module-database/support.ts'
import { importTarget, migration, plan } from './support.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server.stop())

const slug = 'orphans'
const texts = [
  'create table books (id text primary key); create table loans (id text primary key, book text)',
  'alter table loans add constraint loans_book foreign key (book) references books (id) not valid',
]
const bring = (...later: string[]) =>
  importMigrations({
    ...importTarget(server, slug),
    files: [...texts, ...later].map((text, at) => migration(at + 1, text)),
    plan,
    release: '1.0.0',
    tenants: async () => ({ sandbox: [], live: [tenantA] }),
    kinds: ['live'],
  })

test("a foreign key over rows that do not fit it stops the migration, whichever school's they are", async () => {
  await provisionModule(server.superuser, { slug, database: server.database, suffix: '', ...secrets })
  await bring()
  const loans = `m_${slug}.loans`
  await server.superuser.query(`set session_replication_role = replica;
    insert into ${loans} (id, book, tenant_id) values ('1', 'gone', '${tenantB}'), ('2', null, '${tenantA}')`)
  const validated = 'alter table loans validate constraint loans_book'
  const added = 'alter table loans add constraint again foreign key (book) references books (id)'
  for (const text of [validated, added])
    await assert.rejects(bring(text), { code: 'failed', kind: 'live', message: /is violated by some row/ }, text)
  await server.superuser.query(`insert into m_${slug}.books (id, tenant_id) values ('gone', '${tenantB}')`)
  assert.equal((await bring(validated, added)).length, 2)
})

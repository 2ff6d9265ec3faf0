import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { provisionModule } from '../../../host/module-database/provision.ts'
import { importMigrations } from '../../../host/publishing/migrations/import.ts'
import { applyTenantData } from '../../../host/publishing/migrations/tenant-data.ts'
import type { MigrationFile } from '../../../policy/migrations/folder.ts'
import { secrets, startTestServer, type TestServer, tenantA, tenantB } from '../../module-database/support.ts'
import { importTarget, migration, plan } from './support.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server.stop())

const bring = (slug: string, files: MigrationFile[], live: string[]) =>
  importMigrations({
    ...importTarget(server, slug),
    files,
    plan,
    release: '1.0.0',
    tenants: async () => ({ sandbox: [], live }),
  })
const provision = (slug: string) =>
  provisionModule(server.superuser, { slug, database: server.database, suffix: '', ...secrets })
const books = async (slug: string) =>
  (await server.superuser.query(`select tenant_id, id, title from m_${slug}.books order by 1, 2`)).rows

const table = migration(1, 'create table books (id text primary key, title text)')
const first = migration(2, `insert into books (id, title) values ('1', 'first')`)
const second = migration(3, `update books set title = title || '!'`)

test('a school that is yet to get earlier rows gets them with a new release, and before that one’s own', async () => {
  const slug = 'arrivals'
  await provision(slug)
  await bring(slug, [table, first], [tenantA])
  // B has installed the app and works with it; what gives it its rows was cut short.
  await server.superuser.query(`insert into m_${slug}.books (tenant_id, id, title) values ($1, '2', 'own')`, [tenantB])
  await bring(slug, [table, first, second], [tenantA, tenantB])
  assert.deepEqual(await books(slug), [
    { tenant_id: tenantA, id: '1', title: 'first!' },
    { tenant_id: tenantB, id: '1', title: 'first!' },
    { tenant_id: tenantB, id: '2', title: 'own!' },
  ])
  assert.deepEqual(await applyTenantData({ ...importTarget(server, slug), kind: 'live', tenantId: tenantB }), [])
})

test('a school whose own rows stand against the earlier ones holds up no release', async () => {
  const slug = 'standing'
  await provision(slug)
  await bring(slug, [table, first], [tenantA])
  await server.superuser.query(`insert into m_${slug}.books (tenant_id, id, title) values ($1, '1', 'own')`, [tenantB])
  await bring(slug, [table, first, second], [tenantA, tenantB])
  assert.deepEqual(await books(slug), [
    { tenant_id: tenantA, id: '1', title: 'first!' },
    { tenant_id: tenantB, id: '1', title: 'own' },
  ])
})

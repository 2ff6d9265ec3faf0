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

const slug = 'arrivals'
const bring = (files: MigrationFile[], live: string[]) =>
  importMigrations({
    ...importTarget(server, slug),
    files,
    plan,
    release: '1.0.0',
    tenants: async () => ({ sandbox: [], live }),
  })

test('a school that is yet to get earlier rows gets those of a new release after them, never before', async () => {
  await provisionModule(server.superuser, { slug, database: server.database, suffix: '', ...secrets })
  const table = migration(1, 'create table books (id text primary key, title text)')
  const first = migration(2, `insert into books (id, title) values ('1', 'first')`)
  const second = migration(3, `update books set title = title || '!'`)
  await bring([table, first], [tenantA])
  // B has installed the app; its rows are still to come when the next release is imported.
  await bring([table, first, second], [tenantA, tenantB])
  const arrived = await applyTenantData({ ...importTarget(server, slug), kind: 'live', tenantId: tenantB })
  assert.deepEqual(arrived, [first.version, second.version])
  const { rows } = await server.superuser.query(`select tenant_id, title from m_${slug}.books order by 1`)
  assert.deepEqual(rows, [
    { tenant_id: tenantA, title: 'first!' },
    { tenant_id: tenantB, title: 'first!' },
  ])
})

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type pg from 'pg'
import { prepareModuleDatabase } from '../../../host/module-database/prepare.ts'
import { provisionModule } from '../../../host/module-database/provision.ts'
import { eraseModuleRows } from '../../../host/publishing/migrations/erase-rows.ts'
import { importMigrations } from '../../../host/publishing/migrations/import.ts'
import type { ImportTarget } from '../../../host/publishing/migrations/migration-types.ts'
import {
  connected,
  secrets,
  startTestServer,
  type TestServer,
  tenantA,
  tenantB,
} from '../../module-database/support.ts'
import { importTarget, migration, plan } from './support.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server.stop())

const slug = 'many'
const count = 5_000
const tables = migration(
  1,
  `create table books (id text primary key);
  create table loans (id text primary key, book text references books (id), next text references loans (id));
  create index on loans (next)`,
)

/** Two schools with as many rows; answers how many pages erasing one of them read of the table whose key has no index. */
async function eraseOne(target: ImportTarget, superuser: pg.Client, provisioner: pg.Client) {
  const { suffix, superuser: credential } = target
  await provisionModule(provisioner, { slug, database: credential.database, suffix, ...secrets })
  const tenants = async () => ({ sandbox: [], live: [tenantA, tenantB] })
  await importMigrations({ ...target, files: [tables], plan, release: '1', tenants, kinds: ['live'] })
  for (const tenant of [tenantA, tenantB])
    await superuser.query(`
      insert into m_many.books (id, tenant_id) select n, '${tenant}' from generate_series(1, ${count}) n;
      insert into m_many.loans (id, book, tenant_id) select n, n, '${tenant}' from generate_series(1, ${count}) n`)
  await superuser.query(`analyze m_many.books, m_many.loans; alter role m_many${suffix} set statement_timeout = '1ms'`)
  const read = async () => {
    const { rows } = await superuser.query<{ read: number }>(
      `select (heap_blks_hit + idx_blks_hit)::int as read from pg_statio_user_tables where schemaname = 'm_many' and relname = 'loans'`,
    )
    return rows[0]!.read
  }
  await superuser.query('select pg_stat_force_next_flush()')
  const before = await read()
  assert.deepEqual(await eraseModuleRows({ ...target, kind: 'live', tenantId: tenantA, installationId: 'one' }), {
    books: count,
    loans: count,
  })
  const { rows } = await superuser.query(`select (select count(*)::int from m_many.books) as books,
    (select count(*)::int from m_many.loans) as loans,
    (select count(*)::int from pg_indexes where schemaname = 'm_many') as indexes`)
  assert.deepEqual(rows, [{ books: count, loans: count, indexes: 3 }])
  return (await read()) - before
}

test('what an erasure reads grows with the rows, and no time limit of migrations ends it', async () => {
  const read = await eraseOne(importTarget(server, slug), server.superuser, server.superuser)
  assert.ok(read < 20 * count, `${read} pages read`)
})

test('so it is without a superuser, by an index for each key that has none', async () => {
  await server.superuser.query(`create role managed login createrole createdb password 'managed'`)
  await server.superuser.query('create database managed owner managed')
  const credential = { ...server.provisioning, database: 'managed' }
  const managed = { ...credential, user: 'managed', password: 'managed' }
  const [superuser, provisioner] = await Promise.all([connected(credential), connected(managed)])
  try {
    const suffix = '_0123abcd'
    await prepareModuleDatabase(provisioner, { database: 'managed', suffix, coreRoles: [] })
    const read = await eraseOne({ ...importTarget(server, slug), suffix, superuser: managed }, superuser, provisioner)
    assert.ok(read < 20 * count, `${read} pages read`)
  } finally {
    await Promise.all([superuser.end(), provisioner.end()])
  }
})

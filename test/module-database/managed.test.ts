import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type pg from 'pg'
import { prepareModuleDatabase } from '../../host/module-database/prepare.ts'
import { dropModule, provisionModule } from '../../host/module-database/provision.ts'
import { importMigrations } from '../../host/publishing/migrations/import.ts'
import { importTarget, migration, plan } from '../publishing/migrations/support.ts'
import { connected, openDatabase, secrets, startTestServer, type TestServer, tenantA, tenantB } from './support.ts'

/** A database whose owner may make roles but is no superuser, as the managed services give. */
let server: TestServer
let managed: pg.ClientConfig & { database: string }
let owner: pg.Client
const suffix = '_0123abcd'
const books = migration(
  1,
  `create table books (id text primary key, title text); insert into books (id, title) values ('1', 'first')`,
)

before(async () => {
  server = await startTestServer()
  await server.superuser.query(`create role managed login createrole createdb password 'managed'`)
  await server.superuser.query('create database managed owner managed')
  managed = { ...server.provisioning, user: 'managed', password: 'managed', database: 'managed' }
  owner = await connected(managed)
})
after(async () => {
  await owner.end()
  await server.stop()
})

test('without a superuser the sealed gate serves, and the missing walls are named', async () => {
  const prepared = await prepareModuleDatabase(owner, { database: 'managed', suffix, coreRoles: [] })
  assert.equal(prepared.gate, 'mac')
  assert.equal(prepared.missing.length, 3)
  assert.deepEqual(await prepareModuleDatabase(owner, { database: 'managed', suffix, coreRoles: [] }), prepared)
})

test('modules are provisioned, migrated and kept apart by tenant there as well', async () => {
  await provisionModule(owner, { slug: 'library', database: 'managed', suffix, ...secrets })
  const target = { ...importTarget(server, 'library'), suffix, superuser: managed }
  await importMigrations({
    ...target,
    files: [books],
    plan,
    release: '1',
    tenants: async () => ({ sandbox: [], live: [tenantA, tenantB] }),
  })
  const database = openDatabase(server, { connection: { ...server.connection, database: 'managed' }, suffix })
  const library = { slug: 'library', sandbox: false }
  assert.equal(await database.execute(library, tenantA, { text: `update books set title = 'mine'` }), 1)
  assert.equal(await database.rows(library, tenantB, { text: 'select title from books' }), '[{"title":"first"}]')

  const forged = [
    `set gate.pass = '${tenantB}.${'0'.repeat(64)}'`,
    `select set_config('gate.pass', '${tenantB}.' || md5('x'), true)`,
  ]
  for (const text of forged) {
    await database.rows(library, tenantA, { text })
    assert.equal(await database.rows(library, tenantA, { text: 'select title from books' }), '[{"title":"mine"}]')
  }
  const session = await database.transaction(library, tenantA)
  await session.execute({
    text: `select set_config('gate.pass', '${tenantB}' || substr(current_setting('gate.pass'), 27), true)`,
  })
  assert.equal(await session.rows({ text: 'select title from books' }), '[]')
  await session.rollback()
  for (const text of [
    `select gate.sealed('${tenantB}')`,
    'select key from gate.seal',
    'select hash from gate.secret',
    `select gate.enter('${tenantB}', 'guess')`,
    `select gate.enter('${tenantB}', '${secrets.gateSecretOf(`s_library_rt${suffix}`)}')`,
  ]) {
    await assert.rejects(database.rows(library, tenantA, { text }), { code: 'sql_refused' }, text)
  }
  database.close()
})

test('a seal of one transaction opens nothing in the next one', async () => {
  const database = openDatabase(server, {
    connection: { ...server.connection, database: 'managed' },
    suffix,
    pools: { perRole: 1 },
  })
  const library = { slug: 'library', sandbox: false }
  const [{ seal }] = JSON.parse(
    await database.rows(library, tenantB, { text: `select current_setting('gate.pass') as seal` }),
  )
  const session = await database.transaction(library, tenantA)
  await session.execute({ text: `select set_config('gate.pass', $1, true)`, values: [seal] })
  assert.equal(await session.rows({ text: 'select title from books' }), '[]')
  await session.rollback()
  database.close()
})

test('a module is dropped there as well', async () => {
  await dropModule(owner, { slug: 'library', suffix })
  assert.equal((await owner.query(`select from pg_roles where rolname ~ '^[ms]_library'`)).rowCount, 0)
})

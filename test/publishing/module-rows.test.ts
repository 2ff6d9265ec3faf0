import assert from 'node:assert/strict'
import { createTenantPool } from '../../host/database/tenant-pool.ts'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import pg from 'pg'
import type { Logger } from 'pino'
import type { Certificate } from '../../host/installations/certificate.ts'
import { eraseDueInstallations } from '../../host/installations/erase.ts'
import { dropModule } from '../../host/module-database/provision.ts'
import { importModuleMigrations } from '../../host/publishing/migrations/module-migrations.ts'
import { readSourceFiles } from '../../host/publishing/source/source-files.ts'
import { createWorkshop } from '../../host/publishing/source/workshop.ts'
import { moduleRowMethods } from '../../host/publishing/upkeep/module-rows.ts'
import { scheduleOwedRows } from '../../host/publishing/upkeep/owed-rows.ts'
import type { PublisherContext } from '../../host/publishing/publisher-context.ts'
import { publisherKeys, webKeys } from '../../host/security/keys.ts'
import { testHostKey } from '../support/cluster.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createSchool, installApp, type School } from '../support/school.ts'

const slug = `rows_${process.pid}`
const folder = mkdtempSync(join(tmpdir(), 'partner-module-rows-'))
let database: TestDatabase
let context: PublisherContext

before(async () => {
  database = await createTestDatabase()
  const { suffix, system } = database.connection
  const keys = { ...webKeys(testHostKey), ...publisherKeys(testHostKey) }
  const provisioning = new pg.Pool({ ...database.superuser, max: 2 })
  const pools = { provisioning, system: new pg.Pool({ ...system, max: 2 }) }
  // What these functions use of the publisher's context.
  const settings = { WEB_PROCESSES: 12 }
  const used = {
    ...pools,
    clock: () => new Date(),
    settings,
    keys,
    suffix,
    credential: database.superuser,
    database: database.superuser.database,
  }
  context = used as unknown as PublisherContext
  mkdirSync(join(folder, 'migrations'))
  writeFileSync(
    join(folder, 'migrations', '2026_01_01_000001_kinds.sql'),
    `create table kinds (id text primary key); insert into kinds (id) values ('novel'), ('atlas')`,
  )
})

after(async () => {
  const client = await context.provisioning.connect()
  await dropModule(client, { slug, suffix: context.suffix })
  client.release()
  await Promise.all([context.provisioning.end(), context.system.end()])
  await database.drop()
  rmSync(folder, { recursive: true })
})

const kindsOf = async (schema: string, tenantId: string) =>
  (await database.admin.query(`select id from ${schema}_${slug}.kinds where tenant_id = $1 order by id`, [tenantId]))
    .rows

test('a school that installs later gets what migrations gave to the others; erased and back, it gets it again', async () => {
  const first = await createSchool(database.admin)
  await installApp(database.admin, first, { slug, type: 'embedded' })
  const workshop = createWorkshop()
  const applied = await workshop.withSource(readSourceFiles(folder), ({ builder }) =>
    importModuleMigrations(context, { slug, builder, release: '1.0.0', kinds: ['sandbox', 'live'] }),
  )
  workshop.close()
  assert.deepEqual(applied, ['2026_01_01_000001_kinds.sql'])
  const { rows: limits } = await database.admin.query(
    'select rolconnlimit from pg_roles where rolname = any($1) order by 1',
    [['m', 's'].map((prefix) => `${prefix}_${slug}_rt${context.suffix}`)],
  )
  // Four sessions of each of the twelve processes.
  assert.deepEqual(limits, [{ rolconnlimit: 48 }, { rolconnlimit: 48 }])
  const { applyTenantData, eraseModuleRows } = moduleRowMethods(context)
  const later = await createSchool(database.admin)
  const all = [{ id: 'atlas' }, { id: 'novel' }]
  assert.deepEqual(await kindsOf('m', first.id), all)
  assert.deepEqual(await kindsOf('m', later.id), [])

  assert.deepEqual(await applyTenantData({ slug, tenantId: later.id }), ['2026_01_01_000001'])
  assert.deepEqual(await applyTenantData({ slug, tenantId: later.id }), [])
  assert.deepEqual(await applyTenantData({ slug, tenantId: first.id }), [])
  assert.deepEqual(await kindsOf('m', later.id), all)

  assert.deepEqual(await eraseModuleRows({ slug, tenantId: later.id, installationId: 'first' }), { kinds: 2 })
  assert.deepEqual(await eraseModuleRows({ slug, tenantId: later.id, installationId: 'second' }), {})
  assert.deepEqual(await kindsOf('m', later.id), [])
  assert.deepEqual(await kindsOf('m', first.id), all)
  assert.deepEqual(await applyTenantData({ slug, tenantId: later.id }), ['2026_01_01_000001'])
})

test('a school that installed while no rows could be given gets them as soon as they can', async () => {
  const rows = moduleRowMethods(context)
  const school = await createSchool(database.admin)
  const sandbox = await createSchool(database.admin, { sandbox: true })
  const other = await createSchool(database.admin)
  for (const one of [school, sandbox]) await installApp(database.admin, one, { slug, type: 'embedded' })
  const told: string[] = []
  const logger = { info: (of: { tenantId: string }) => told.push(of.tenantId), warn: () => told.push('warned') }
  const first = { applyTenantData: () => Promise.reject(new Error('the server is away')) }
  const once = async (given: Parameters<typeof scheduleOwedRows>[1]) => {
    const owed = scheduleOwedRows({ ...context, clock: () => new Date(), logger: logger as unknown as Logger }, given)
    await owed.idle()
    await owed.stop()
  }
  await once(first)
  assert.deepEqual(told.splice(0), ['warned', 'warned'])

  await once(rows)
  assert.deepEqual(told.splice(0).sort(), [school.id, sandbox.id].sort())
  assert.equal((await kindsOf('m', school.id)).length, 2)
  assert.equal((await kindsOf('s', sandbox.id)).length, 2)
  assert.deepEqual(await kindsOf('m', other.id), [])

  await once(rows)
  assert.deepEqual(told, [])
})

test('what could not be given is tried every minute, an older installation’s at the next hour', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  let now = Date.now()
  const school = await createSchool(database.admin)
  await installApp(database.admin, school, { slug, type: 'embedded' })
  const tried: number[] = []
  const rows = { applyTenantData: () => Promise.reject(new Error(`away ${tried.push(now)}`)) }
  const logger = { info: assert.fail, warn: () => {} } as unknown as Logger
  const owed = scheduleOwedRows({ ...context, clock: () => new Date(now), logger }, rows)
  const pass = async (minutes: number) => {
    now += minutes * 60_000
    t.mock.timers.tick(60_000)
    await owed.idle()
    return tried.splice(0).length
  }
  assert.equal(await pass(1), 2, 'at start, and after a minute')
  assert.equal(await pass(1), 1)
  await database.admin.query(`update core.installations set installed_at = '2020-01-01' where tenant_id = $1`, [
    school.id,
  ])
  assert.equal(await pass(1), 0)
  assert.equal(await pass(60), 1)
  await owed.stop()
  await moduleRowMethods(context).applyTenantData({ slug, tenantId: school.id })
})

/** Ends the app at a school long ago, and answers the certificates of one erasure. A key that cannot sign cuts it short. */
async function erasure(school: School, signingKey: KeyObject): Promise<Certificate[]> {
  await database.admin.query(
    `update core.installations set status = 'uninstalled', uninstalled_at = '2020-01-01'
      where tenant_id = $1 and installed_at < now() - interval '1 day'`,
    [school.id],
  )
  const core = new pg.Pool({ ...database.connection.core, max: 1 })
  const failed = () => {}
  const rest = { clock: () => new Date(), eraseFiles: async () => [], failed, signingKey }
  const certificates = await eraseDueInstallations({
    core: createTenantPool(core),
    system: context.system,
    ...moduleRowMethods(context),
    ...rest,
  })
  await core.end()
  return certificates
}

for (const again of [false, true]) {
  const meanwhile = again ? ', though the school installed the app again in between' : ''
  test(`an erasure cut short after the rows have gone is signed with their counts${meanwhile}`, async () => {
    const { privateKey } = generateKeyPairSync('ed25519')
    const { publicKey: unable } = generateKeyPairSync('ed25519')
    const school = await createSchool(database.admin)
    await installApp(database.admin, school, { slug, type: 'embedded' })
    await database.admin.query(`update core.installations set installed_at = '2019-01-01' where tenant_id = $1`, [
      school.id,
    ])
    await moduleRowMethods(context).applyTenantData({ slug, tenantId: school.id })
    assert.deepEqual(await erasure(school, unable), [])
    assert.deepEqual(await kindsOf('m', school.id), [])
    if (again) {
      await installApp(database.admin, school, { slug, type: 'embedded' })
      await moduleRowMethods(context).applyTenantData({ slug, tenantId: school.id })
    }

    const [certificate] = await erasure(school, privateKey)
    assert.deepEqual(certificate?.removed.module_tables, { kinds: 2 })
    assert.equal(certificate.app_data_kept !== null, again)
    assert.equal((await kindsOf('m', school.id)).length, again ? 2 : 0)
  })
}

test('a school that installs the app again while its erasure waits for a migration keeps its rows', async () => {
  const { privateKey } = generateKeyPairSync('ed25519')
  const school = await createSchool(database.admin)
  await installApp(database.admin, school, { slug, type: 'embedded' })
  await database.admin.query(`update core.installations set installed_at = '2019-01-01' where tenant_id = $1`, [
    school.id,
  ])
  await moduleRowMethods(context).applyTenantData({ slug, tenantId: school.id })
  const migration = await database.admin.connect()
  await migration.query('select pg_advisory_lock(7412, hashtext($1))', [slug])
  const erased = erasure(school, privateKey)
  const waits = `select from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`
  while ((await database.admin.query(waits)).rowCount === 0) await new Promise((done) => setTimeout(done, 10))
  await installApp(database.admin, school, { slug, type: 'embedded' })
  await migration.query('select pg_advisory_unlock(7412, hashtext($1))', [slug])
  migration.release()

  const [certificate] = await erased
  assert.deepEqual(certificate?.removed.module_tables, {})
  assert.ok(certificate.app_data_kept)
  assert.equal((await kindsOf('m', school.id)).length, 2)
})

test('schools that install an app while it is migrated wait with one session, each once', async () => {
  const schools = await Promise.all(Array.from({ length: 6 }, () => createSchool(database.admin)))
  const migration = await database.admin.connect()
  await migration.query('select pg_advisory_lock(7412, hashtext($1))', [slug])
  const sessions = async () => {
    const { rows } = await migration.query<{ open: number; waiting: number }>(
      `select count(*)::int as open, count(*) filter (where wait_event = 'advisory')::int as waiting from pg_stat_activity
         where datname = current_database() and backend_type = 'client backend'`,
    )
    return rows[0]!
  }
  const before = await sessions()
  const { applyTenantData } = moduleRowMethods(context)
  const given = [...schools, ...schools, ...schools].map(({ id }) => applyTenantData({ slug, tenantId: id }))
  while ((await sessions()).waiting === 0) await new Promise((done) => setTimeout(done, 10))
  // One that waits for the module, and those of the pools.
  const { open } = await sessions()
  await migration.query('select pg_advisory_unlock(7412, hashtext($1))', [slug])
  migration.release()
  assert.ok(open - before.open <= 5, `${open - before.open} sessions`)
  const answers = await Promise.all(given)
  assert.equal(answers.filter((versions) => versions.length === 1).length, 3 * schools.length)
  for (const { id } of schools) assert.equal((await kindsOf('m', id)).length, 2)
})

test("a sandbox tenant's rows are those of the sandbox's schema", async () => {
  const { applyTenantData, eraseModuleRows } = moduleRowMethods(context)
  const sandbox = await createSchool(database.admin, { sandbox: true })
  await applyTenantData({ slug, tenantId: sandbox.id })
  assert.equal((await kindsOf('s', sandbox.id)).length, 2)
  assert.deepEqual(await kindsOf('m', sandbox.id), [])
  assert.deepEqual(await eraseModuleRows({ slug, tenantId: sandbox.id, installationId: 'one' }), { kinds: 2 })
})

test('an app without a schema has no rows, an unknown tenant is an error', async () => {
  const { applyTenantData, eraseModuleRows } = moduleRowMethods(context)
  const { id } = await createSchool(database.admin)
  assert.deepEqual(await applyTenantData({ slug: 'none_such', tenantId: id }), [])
  const ended = { slug: 'none_such', tenantId: id, installationId: 'one' }
  assert.deepEqual(await eraseModuleRows(ended), {})
  await assert.rejects(eraseModuleRows({ ...ended, slug, tenantId: 'nobody' }), /no such tenant/)
})

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { isValidPhoneNumber } from 'libphonenumber-js/max'
import pg from 'pg'
import { createCoreDatabase } from '../../host/database/core-database.ts'
import { seedAppSandboxes } from '../../host/seeds/app-sandbox.ts'
import { sandboxSchool } from '../../host/seeds/sandbox-school.ts'
import { seedReferenceData, seedSandboxSchool } from '../../host/seeds/seed.ts'
import { testHostKey } from '../support/cluster.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase

before(async () => {
  database = await createTestDatabase()
})
after(() => database?.drop())

test('the school is the same at every seeding, with valid numbers and ids', () => {
  const school = sandboxSchool()
  assert.deepEqual(school, sandboxSchool())
  assert.deepEqual(
    [
      school.students.length,
      school.guardians.length,
      school.employees.length,
      school.grades.length,
      school.sections.length,
    ],
    [2_000, 1_400, 120, 12, 48],
  )
  assert.ok(school.guardians.every(({ phone }) => isValidPhoneNumber(phone)))
  assert.equal(new Set(school.guardians.map(({ phone }) => phone)).size, 1_400)
  assert.ok(school.students.every(({ id }) => /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(id)))
  assert.deepEqual(school.curricula.map(({ status }) => status).sort(), ['draft', 'published'])
})

test('seeding twice changes nothing', async (t) => {
  const system = new pg.Pool({ ...database.connection.system, max: 1 })
  const core = createCoreDatabase({ connection: database.connection.core, poolSize: 1 })
  t.after(() => Promise.all([system.end(), core.close()]))
  for (const _ of [1, 2]) {
    await seedReferenceData(system)
    await seedSandboxSchool(core, testHostKey)
  }
  const { rows } = await database.admin.query(`select (select count(*)::int from core.students) as students,
    (select count(*)::int from core.accounts) as accounts, (select count(*)::int from core.countries) as countries`)
  assert.deepEqual(rows[0], { students: 2_000, accounts: 12, countries: 30 })
})

test('the shared school has number 1 and the own sandboxes follow in their order, however late it is made', async (t) => {
  const fresh = await createTestDatabase()
  const core = createCoreDatabase({ connection: fresh.connection.core, poolSize: 3 })
  const system = new pg.Pool({ ...fresh.connection.system, max: 1 })
  t.after(async () => {
    await Promise.all([system.end(), core.close()])
    await fresh.drop()
  })
  await seedReferenceData(system)
  // Made no sooner than somebody waits for it, when the sandboxes are ready to be written.
  const school = {
    // biome-ignore lint/suspicious/noThenProperty: it is begun by whoever waits for it
    then: (...told: Parameters<Promise<void>['then']>) => seedSandboxSchool(core, testHostKey).then(...told),
  } as Promise<void>
  await Promise.all(seedAppSandboxes(core, testHostKey, ['attendance', 'library'], school))
  const { rows } = await fresh.admin.query('select number::int, sandbox_of from core.tenants order by number')
  assert.deepEqual(rows, [
    { number: 1, sandbox_of: null },
    { number: 2, sandbox_of: 'attendance' },
    { number: 3, sandbox_of: 'library' },
  ])
})

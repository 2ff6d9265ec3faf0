import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createCoreDatabase } from '../../host/database/core-database.ts'
import { openPool } from '../../host/database/open-pool.ts'
import { findPerson } from '../../host/operator/people.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createSchool } from '../support/school.ts'

let database: TestDatabase
let context: Parameters<typeof findPerson>[0]
let close: () => Promise<void>

before(async () => {
  database = await createTestDatabase()
  const core = createCoreDatabase({ connection: database.connection.core, poolSize: 1 })
  const system = openPool({ ...database.connection.system, max: 1 })
  context = { system, database: core }
  close = async () => {
    await Promise.all([core.close(), system.end()])
    await database.drop()
  }
})
after(() => close?.())

/** A sandbox school with an administrator; one of an app's own says whose. */
async function sandboxOf(app: string | null): Promise<string> {
  const { id } = await createSchool(database.admin, { sandbox: true })
  await database.admin.query('update core.tenants set sandbox_of = $2 where id = $1', [id, app])
  await database.admin.query(
    `insert into core.accounts (tenant_id, id, username, password_hash, person_type, display_name, administrator)
      values ($1, $1, $1, 'x', 'supervisor', 'A', true)`,
    [id],
  )
  return id
}

test("who is asked for in no school is the shared sandbox school's, though an app's own was made before it", async () => {
  const own = await sandboxOf('library')
  const shared = await sandboxOf(null)
  const found = async (tenantId?: string) => (await findPerson(context, { tenantId, username: undefined }))?.tenantId
  assert.equal(await found(), shared)
  assert.equal(await found(own), own)
})

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Caller } from '../../partner-services/service/caller.ts'
import type { TenantDatabase } from '../../partner-services/service/ports.ts'
import { update } from '../../partner-services/service/records.ts'
import { sql } from '../../partner-services/service/sql.ts'
import { type Platform, startPlatform } from '../events/support.ts'
import { createSchool, installApp } from '../support/school.ts'

let platform: Platform
before(async () => {
  platform = await startPlatform()
})
after(() => platform?.close())

test('a change that was there already and is undone meanwhile is made, and answered as it was asked for', async () => {
  const { admin } = platform.database
  const app = await installApp(admin, await createSchool(admin))
  const id = await platform.createStudent(app.token, 'A')
  const caller = { tenant: { id: app.tenantId }, locale: 'en' } as Caller
  let statements = 0
  const answer = await platform.core.forTenant(app.tenantId, (db) => {
    const row: TenantDatabase['row'] = async (statement) => {
      const found = await db.row(statement)
      if (++statements === 1) await admin.query(`update core.students set full_name = 'B' where id = $1`, [id])
      return found as never
    }
    return update({ ...db, row }, 'students', { caller, id, fields: { full_name: 'A' }, columns: sql`id, full_name` })
  })
  assert.deepEqual(answer, { row: { id, full_name: 'A' }, changed: true })
})

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createModuleLog } from '../../host/embedded-apps/module-log.ts'
import type { InstalledModule } from '../../host/embedded-apps/installed-modules.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createSchool } from '../support/school.ts'
import { testWebContext } from '../support/web.ts'

let database: TestDatabase
let context: ReturnType<typeof testWebContext>

before(async () => {
  database = await createTestDatabase()
  context = testWebContext(database)
})
after(async () => {
  await context?.close()
  await database?.drop()
})

test('a line that ends in half a character, or holds NUL, takes no other line with it', async () => {
  const problems: unknown[] = []
  const log = createModuleLog(
    context.system,
    () => new Date(),
    (error) => problems.push(error),
  )
  const [mine, other] = [await createSchool(database.admin), await createSchool(database.admin)]
  const moduleOf = (tenant: { id: string }) => ({ tenant, slug: 'library' }) as InstalledModule
  const cut = '\u{1f600}'.slice(0, 1)
  const hostile = log.open(moduleOf(mine), 'hostile')
  for (const message of [`cut ${cut}`, 'a\0b', Promise.resolve(`later ${cut}`)]) hostile.write('info', message)
  log.open(moduleOf(other), 'honest').write('info', 'kept \u{1f600}')
  await log.flush()
  const { rows } = await database.admin.query('select message from core.module_log order by invocation_id, position')
  assert.deepEqual(
    rows.map(({ message }) => message),
    ['kept \u{1f600}', 'cut \u{fffd}', 'a\u{fffd}b', 'later \u{fffd}'],
  )
  assert.deepEqual(problems, [])
})

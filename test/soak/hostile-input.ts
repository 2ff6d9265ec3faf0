import { hammer } from '../contract/support/hammer.ts'
import { createTestDatabase } from '../support/database.ts'
import { startWeb } from '../support/web.ts'

/** The property of `test/contract/hostile-input.test.ts` over 100,000 requests. */
export async function run(): Promise<void> {
  const database = await createTestDatabase()
  const web = await startWeb(database)
  try {
    await hammer(database, web, 100_000)
  } finally {
    await web.close()
    await database.drop()
  }
}

import { hammer } from '../contract/support/hammer.ts'
import { createTestDatabase } from '../support/database.ts'
import { startWeb } from '../support/web.ts'

const requests = 100_000
const block = 5_000

/** The property of `test/contract/hostile-input.test.ts` over 100,000 requests, each block by a seed of its own. */
export async function run(): Promise<void> {
  const database = await createTestDatabase()
  const web = await startWeb(database)
  const first = Date.now() % 1_000_000
  try {
    for (let sent = 0; sent < requests; sent += block) {
      await hammer(database, web, block, first + sent)
      console.log(`${sent + block} hostile requests, all answered as described (seed ${first + sent})`)
    }
  } finally {
    await web.close()
    await database.drop()
  }
}

import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { startWeb, type TestWeb } from '../support/web.ts'
import { hammer } from './support/hammer.ts'

let database: TestDatabase
let web: TestWeb

before(async () => {
  database = await createTestDatabase()
  web = await startWeb(database)
})

after(async () => {
  await web?.close()
  await database?.drop()
})

test('whatever the input, the answer is in the description, no fault and no data of another tenant', async () => {
  await hammer(database, web, 2_000)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestDatabase } from '../support/database.ts'
import { startWeb } from '../support/web.ts'

test('a web server that fails to start leaves no connection open', async () => {
  const database = await createTestDatabase()
  const settings = { BASE_PATH: '/apps', SANDBOX_BASE_PATH: '/apps' }
  await assert.rejects(startWeb(database, { settings }), /already declared/)
  await database.drop()
})

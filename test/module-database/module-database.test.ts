import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createModuleDatabase, type ModuleDatabase } from '../../host/module-database/module-database.ts'
import { createStatementGuard } from '../../host/module-database/statement-guard.ts'
import { createGuard } from '../../policy/sql/worker.ts'
import { provisionWithNotes, secrets, startTestServer, type TestServer, tenantA, tenantB } from './support.ts'

let server: TestServer
let database: ModuleDatabase
const guard = createGuard()
const alpha = { slug: 'alpha', sandbox: false }

before(async () => {
  server = await startTestServer()
  await provisionWithNotes(server, 'alpha')
  database = createModuleDatabase({ connection: server.connection, suffix: '', secrets, guard: createStatementGuard(guard) })
})
after(async () => {
  database.close()
  await guard.close()
  await server.stop()
})

const rows = async (tenant: string, text: string, values: unknown[] = []) => JSON.parse(await database.rows(alpha, tenant, { text, values }))

test('a statement sees and changes the rows of its tenant only', async () => {
  assert.equal(await database.execute(alpha, tenantA, { text: 'insert into note (id, title) values ($1, $2)', values: ['1', 'of A'] }), 1)
  assert.equal(await database.execute(alpha, tenantB, { text: 'insert into note (id, title) values ($1, $2)', values: ['1', 'of B'] }), 1)
  assert.deepEqual(await rows(tenantA, 'select id, title from note'), [{ id: '1', title: 'of A' }])
  assert.equal(await database.execute(alpha, tenantB, { text: 'update note set title = title || $1', values: ['!'] }), 1)
  assert.deepEqual(await rows(tenantB, 'select id, title from m_alpha.note'), [{ id: '1', title: 'of B!' }])
})

test('the sandbox has rows of its own, by the same text', async () => {
  const sandbox = { slug: 'alpha', sandbox: true }
  assert.equal(await database.rows(sandbox, tenantA, { text: 'select * from m_alpha.note' }), '[]')
  await database.execute(sandbox, tenantA, { text: 'insert into note (id) values (1)' })
  assert.equal(await database.rows(sandbox, tenantA, { text: 'select id from m_alpha.note' }), '[{"id":"1"}]')
})

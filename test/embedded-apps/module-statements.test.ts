import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createModuleStatements } from '../../host/embedded-apps/module-statements.ts'
import type { Caller } from '../../partner-services/service/caller.ts'
import { openDatabase, provisionWithNotes, startTestServer, tenantA } from '../module-database/support.ts'

const server = await startTestServer()
after(() => server.stop())
await provisionWithNotes(server, 'alpha')

const caller: Caller = {
  tenant: { id: tenantA, number: 1, sandbox: false },
  app: { slug: 'alpha', integrationType: 'embedded' },
  installation: { id: '01J00000000000000000000002', rateLimited: false },
  scopes: new Set(),
  viewer: null,
  locale: 'en',
}
const anyNote = '{"text":"select id from note"}'

test('a request has two transactions at a time, also where it begins more at once', async () => {
  const database = openDatabase(server, { pools: { perRole: 8 } })
  const statements = createModuleStatements(database, caller)
  const begun = await Promise.allSettled(Array.from({ length: 4 }, () => statements.serve('begin', '{}')))
  assert.deepEqual(
    begun.map((one) => (one.status === 'fulfilled' ? one.value : one.reason.code)),
    ['{"tx":1}', '{"tx":2}', 'invalid_state', 'invalid_state'],
  )
  await statements.serve('commit', '{"tx":1}')
  assert.equal(await statements.serve('begin', '{}'), '{"tx":3}')
  await statements.close()
  database.close()
})

test('a transaction that has not begun when its request ends holds no session afterwards', async () => {
  const database = openDatabase(server, { pools: { perRole: 2 } })
  const holder = await database.transaction({ slug: 'alpha', sandbox: false }, tenantA)
  const statements = createModuleStatements(database, caller)
  const begun = statements.serve('begin', '{}')
  const closed = statements.close()
  await holder.rollback()
  await Promise.all([begun, closed])
  assert.equal(await createModuleStatements(database, caller).serve('rows', anyNote), '[]')
  database.close()
})

test('a transaction whose session is lost does not spoil the end of its request', async () => {
  const database = openDatabase(server)
  const statements = createModuleStatements(database, caller)
  await statements.serve('begin', '{}')
  await statements.serve('rows', '{"text":"select id from note","tx":1}')
  await server.superuser.query(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`,
  )
  await statements.close()
  database.close()
})

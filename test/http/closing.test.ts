import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { createTestDatabase } from '../support/database.ts'
import { createSchool, installApp } from '../support/school.ts'
import { startWeb } from '../support/web.ts'

test('a request that comes on a busy connection while the server closes is served like any other, and is its last', async (t) => {
  const database = await createTestDatabase()
  t.after(() => database.drop())
  const { token } = await installApp(database.admin, await createSchool(database.admin))
  const web = await startWeb(database)
  const { hostname, port } = new URL(web.url)
  const socket = connect(Number(port), hostname)
  t.after(() => socket.destroy())
  let received = ''
  socket.on('data', (chunk) => (received += chunk))
  const locked = await database.admin.connect()
  await locked.query('begin; lock table core.installation_tokens in access exclusive mode')
  const ask = (path: string) =>
    socket.write(`GET ${path} HTTP/1.1\r\nHost: school.example\r\nAuthorization: Bearer ${token}\r\n\r\n`)
  ask('/apps/whoami')
  await waiting(database.admin)
  const closing = web.close()
  ask('/apps/tenant/clock')
  await locked.query('rollback')
  locked.release()
  await Promise.all([closing, once(socket, 'close')])
  assert.deepEqual(received.match(/HTTP\/1.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 200'])
  assert.equal(received.match(/^x-request-id: /gim)?.length, 2)
  assert.match(received, /^connection: close/im)
})

/** Until a request waits for the lock. */
async function waiting(admin: { query(text: string): Promise<{ rows: unknown[] }> }): Promise<void> {
  const text = `select 1 from pg_locks where not granted and relation = 'core.installation_tokens'::regclass`
  while ((await admin.query(text)).rows.length === 0) await new Promise(setImmediate)
}

import assert from 'node:assert/strict'
import { getPriority } from 'node:os'
import { after, before, test } from 'node:test'
import pg from 'pg'
import type { LeftBehind } from '../../host/module-database/module-database.ts'
import { watchUnstopped } from '../../host/module-database/unstopped.ts'
import { openDatabase, provisionWithNotes, startTestServer, type TestServer, tenantA } from './support.ts'

let server: TestServer
let system: pg.Pool
const alpha = { slug: 'alpha', sandbox: false }
/** Asks nowhere whether it shall stop, for some seconds: each character of the first is looked for in all of the second. */
const deaf = `select length(translate(repeat('a', 20000), repeat('b', 20000), ''))`
/** Runs as long, and stops. */
const heeding = 'select count(*) from generate_series(1, 100000000000)'

before(async () => {
  server = await startTestServer()
  await provisionWithNotes(server, 'alpha')
  system = new pg.Pool({ ...server.provisioning, user: server.roles.core, password: 'core', max: 1 })
})
after(async () => {
  await system.end()
  await server.stop()
})

/** What a statement that is cancelled after a moment leaves behind, as the database tells it. */
async function leftBy(text: string): Promise<LeftBehind[]> {
  const told: LeftBehind[] = []
  const database = openDatabase(server, { limits: { statementMs: 100 }, onUnstopped: (left) => told.push(left) })
  await assert.rejects(database.rows(alpha, tenantA, { text }), { code: 'timeout' })
  const transaction = await database.transaction(alpha, tenantA)
  await assert.rejects(transaction.rows({ text }), { code: 'timeout' })
  await transaction.rollback().catch(() => {})
  database.close()
  return told
}

/** What is told of sessions that end while their statement works on: the transaction's time is up, the answer is too long. */
async function leftByOthers(): Promise<LeftBehind[]> {
  const told: LeftBehind[] = []
  const limits = { transactionMs: 100, maxSocketBytes: 65_536 }
  const database = openDatabase(server, { limits, onUnstopped: (left) => told.push(left) })
  const transaction = await database.transaction(alpha, tenantA)
  await assert.rejects(transaction.rows({ text: deaf }), { code: 'timeout' })
  const second = `translate(repeat('a', i * 20000), repeat('b', 20000), '')`
  const text = `select repeat('x', 90000) || ${second} from generate_series(0, 1) i`
  await assert.rejects(database.rows(alpha, tenantA, { text }), { code: 'result_too_large' })
  database.close()
  return told
}

/** Looks at once. Null where nothing is found. */
async function found(left: LeftBehind): Promise<LeftBehind | null> {
  const { promise, resolve, reject } = Promise.withResolvers<LeftBehind | null>()
  const counting = {
    query: async (...all: Parameters<typeof system.query>) => {
      const answer = (await system.query(...all)) as unknown as pg.QueryResult
      if (!answer.rows[0].works) resolve(null)
      return answer
    },
  }
  watchUnstopped({
    system: counting as unknown as pg.Pool,
    sameMachine: true,
    patience: 0,
    onFound: async (seen) => resolve(seen),
    onError: reject,
  }).watch(left)
  return promise
}

test('a statement that heeds its cancellation leaves nothing behind', async () => {
  assert.deepEqual(await leftBy(heeding), [])
})

test('one that does not is told of with its module and tenant, found at work, and gets what nobody else wants', async () => {
  const told = await leftBy(deaf)
  assert.equal(told.length, 2)
  for (const left of told) {
    assert.deepEqual([left.slug, left.tenantId, left.role], ['alpha', tenantA, 'm_alpha_rt'])
    assert.deepEqual(await found(left), left)
    assert.equal(getPriority(left.pid), 19)
  }
  // What has ended meanwhile is nobody's fault.
  for (const left of told) while (await found(left)) await new Promise((done) => setTimeout(done, 20))
})

test('nor does it escape by an end of its session that has another reason', async () => {
  const told = await leftByOthers()
  assert.equal(told.length, 2)
  for (const left of told) assert.deepEqual(await found(left), left)
  for (const left of told) while (await found(left)) await new Promise((done) => setTimeout(done, 20))
})

test('one that waits, as for a disk that stands still, is no fault of its module', async () => {
  await server.superuser.query('begin; lock table m_alpha.note')
  const client = (await server.connect('m_alpha_rt')) as pg.Client & { processID: number }
  const waiting = client.query('select from m_alpha.note')
  const left = { slug: 'alpha', tenantId: tenantA, role: 'm_alpha_rt', pid: client.processID }
  const waits = 'select from pg_stat_activity where pid = $1 and wait_event_type = $2'
  while ((await server.superuser.query(waits, [left.pid, 'Lock'])).rowCount === 0);
  assert.equal(await found(left), null)
  await server.superuser.query('commit')
  await waiting
})

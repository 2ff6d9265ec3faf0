import assert from 'node:assert/strict'
import { getPriority } from 'node:os'
import { after, before, test } from 'node:test'
import type pg from 'pg'
import { openPool } from '../../host/database/open-pool.ts'
import type { LeftBehind, ModuleDatabase, ModuleDatabaseLimits } from '../../host/module-database/module-database.ts'
import { watchUnstopped } from '../../host/module-database/unstopped.ts'
import { openDatabase, provisionWithNotes, startTestServer, type TestServer, tenantA } from './support.ts'

let server: TestServer
let system: pg.Pool
const alpha = { slug: 'alpha', sandbox: false }
/** Asks nowhere whether it shall stop, for some seconds: each character of the first is looked for in all of the second. */
const deaf = `select length(translate(repeat('a', 20000), repeat('b', 20000), ''))`
/** Would run for hours, and stops. */
const heeding = 'select count(*) from generate_series(1, 100000000000)'

before(async () => {
  server = await startTestServer()
  await provisionWithNotes(server, 'alpha')
  system = openPool({ ...server.provisioning, user: server.roles.core, password: 'core', max: 1 })
})
after(async () => {
  await system.end()
  await server.stop()
})

type Seen = (LeftBehind & { priority: number }) | null

/** Looks at once. Null where nothing is at work. */
async function found(left: LeftBehind): Promise<Seen> {
  const { promise, resolve, reject } = Promise.withResolvers<Seen>()
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
    onFound: async (seen) => resolve(withPriority(seen)),
    onError: reject,
  }).watch(left)
  return promise
}

/** Null where it has ended since it was found. */
function withPriority(left: LeftBehind): Seen {
  try {
    return { ...left, priority: getPriority(left.pid) }
  } catch {
    return null
  }
}

/** Looks until it is found, or its session has ended: on a busy machine the server may not have begun. */
async function foundSoon(left: LeftBehind): Promise<Seen> {
  for (;;) {
    const seen = await found(left)
    const { rowCount } = await server.superuser.query('select from pg_stat_activity where pid = $1', [left.pid])
    if (seen || !rowCount) return seen
  }
}

/** What is found of each statement that the database tells of, as soon as it does. */
async function foundOf(limits: Partial<ModuleDatabaseLimits>, work: (database: ModuleDatabase) => Promise<void>) {
  const seen: Promise<Seen>[] = []
  const database = openDatabase(server, { limits, onUnstopped: (left) => seen.push(foundSoon(left)) })
  await work(database)
  database.close()
  return Promise.all(seen)
}

/** A statement that is cancelled after a moment, alone and in a transaction. */
const cancelled = (text: string) =>
  foundOf({ statementMs: 100 }, async (database) => {
    await assert.rejects(database.rows(alpha, tenantA, { text }), { code: 'timeout' })
    const transaction = await database.transaction(alpha, tenantA)
    await assert.rejects(transaction.rows({ text }), { code: 'timeout' })
    await transaction.rollback().catch(() => {})
  })

/** What has ended meanwhile is nobody's fault. */
async function untilEnded(all: Seen[]): Promise<void> {
  for (const left of all) while (left && (await found(left))) await new Promise((done) => setTimeout(done, 20))
}

test('a statement that heeds its cancellation leaves nothing behind', async () => {
  await untilEnded(await cancelled(heeding))
})

test('one that does not is told of with its module and tenant, found at work, and gets what nobody else wants', async () => {
  const all = await cancelled(deaf)
  assert.equal(all.length, 2)
  const whose = { slug: 'alpha', tenantId: tenantA, role: 'm_alpha_rt', priority: 19 }
  for (const seen of all) assert.deepEqual(seen, { ...whose, pid: seen?.pid })
  await untilEnded(all)
})

test('nor does it escape by an end of its session that has another reason', async () => {
  const all = await foundOf({ transactionMs: 100, maxSocketBytes: 65_536 }, async (database) => {
    const transaction = await database.transaction(alpha, tenantA)
    await assert.rejects(transaction.rows({ text: deaf }), { code: 'timeout' })
    const second = `translate(repeat('a', i * 20000), repeat('b', 20000), '')`
    const text = `select repeat('x', 90000) || ${second} from generate_series(0, 1) i`
    await assert.rejects(database.rows(alpha, tenantA, { text }), { code: 'result_too_large' })
  })
  assert.equal(all.length, 2)
  assert.ok(!all.includes(null))
  await untilEnded(all)
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

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { pino } from 'pino'
import type { AnsweringConfig } from '../../host/database/answering-client.ts'
import { createCoreDatabase } from '../../host/database/core-database.ts'
import { inTransaction } from '../../host/database/in-transaction.ts'
import { openPool } from '../../host/database/open-pool.ts'
import { runPipeline } from '../../host/database/pipeline.ts'
import { mayRunLong } from '../../host/database/time-limits.ts'
import { isUnavailable } from '../../host/database/unavailable.ts'
import { startDeliveryWorker } from '../../host/events/delivery-worker.ts'
import { sql } from '../../partner-services/service/sql.ts'
import { cipher, loopbackAllowed } from '../events/support.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createSchool, installApp } from '../support/school.ts'
import { openProxy, type SilentProxy } from '../support/silent-proxy.ts'
import { startWeb } from '../support/web.ts'

/** In place of the host's own, for which a test would wait. */
const short = { connectionTimeoutMillis: 1_000, answerTimeoutMillis: 500 }
const bounded = { timeout: 30_000 }

let database: TestDatabase
let proxy: SilentProxy

before(async () => {
  database = await createTestDatabase()
})
after(() => database?.drop())

/** The roles' connections by a way that can fall silent. */
async function byProxy() {
  proxy = await openProxy(database.superuser)
  const { core, system } = database.connection
  const connectionOf = (config: typeof core): AnsweringConfig => ({ ...proxy.through(config), ...short })
  return { ...database.connection, core: connectionOf(core), system: connectionOf(system) }
}

test('a database that falls silent without closing fails what is asked of it within a limit, and serves again', async () => {
  const { system } = await byProxy()
  const pool = openPool({ ...system, max: 2 })
  const pipeline = async () => {
    const client = await pool.connect()
    return runPipeline(client, [{ text: 'select 1 as one', values: [] }]).finally(() => client.release(true))
  }
  const query = () => pool.query('select 1 as one')
  const transaction = () => inTransaction(pool, (client) => client.query('select 1 as one'))
  const all = () => Promise.allSettled([pipeline(), query()])
  assert.deepEqual(new Set((await all()).map(({ status }) => status)), new Set(['fulfilled']))
  await Promise.all([query(), query()])
  proxy.fallSilent()
  for (const ask of [query, transaction, pipeline])
    await assert.rejects(ask, (error: Error) => isUnavailable(error) && /^Connection terminated/.test(error.message))
  proxy.speak()
  assert.equal((await query()).rows[0].one, 1)
  assert.deepEqual(await pipeline(), [[{ one: 1 }]])
  await pool.end()
  await proxy.close()
})

test('what says that it runs long does, in that transaction alone', async () => {
  const school = await createSchool(database.admin)
  const { core: config } = await byProxy()
  const core = createCoreDatabase({ connection: config, poolSize: 1 })
  const slow = `select pg_sleep(${(2.5 * short.answerTimeoutMillis) / 1_000})`
  await inTransaction(core.pool, async (client) => {
    await mayRunLong(client)
    await client.query(slow)
  })
  await assert.rejects(core.pool.query(slow), /^Error: Connection terminated: no answer within 500 ms$/)
  const slowly = (long: boolean) =>
    core.forTenant(school.id, (db) => db.rows(sql`select pg_sleep(${(2.5 * short.answerTimeoutMillis) / 1_000})`), {
      long,
    })
  await slowly(true)
  await assert.rejects(slowly(false), /no answer within 500 ms/)
  await core.close()
  await proxy.close()
})

test('requests to a web process whose database falls silent are answered 503', bounded, async () => {
  const app = await installApp(database.admin, await createSchool(database.admin))
  const web = await startWeb({ ...database, connection: await byProxy() })
  const ask = (method = 'GET') =>
    web.call('/apps/education/students', {
      token: app.token,
      method,
      ...(method === 'POST' ? { body: { full_name: 'سارة' } } : {}),
    })
  try {
    while ((await ask()).status !== 200);
    proxy.fallSilent()
    assert.deepEqual([(await ask()).status, (await ask('POST')).status], [503, 503])
    proxy.speak()
    // Each connection that was at rest meanwhile fails once.
    while ((await ask()).status !== 200);
  } finally {
    proxy.speak()
    await web.close()
    await proxy.close()
  }
})

test(
  'a worker whose database falls silent says so, goes on when it is back, and a stop does not wait for it',
  bounded,
  async () => {
    const { system } = await byProxy()
    const told: string[] = []
    const heard = Promise.withResolvers<void>()
    const line = {
      write: (text: string) => {
        told.push(JSON.parse(text).msg)
        heard.resolve()
      },
    }
    const worker = startDeliveryWorker({
      connection: { ...system, application_name: 'silent-worker' },
      cipher,
      logger: pino({}, line as never),
      policy: loopbackAllowed,
    })
    proxy.fallSilent()
    await heard.promise
    assert.equal(told[0], 'deliveries wait for the database')
    proxy.speak()
    const sessions = `select from pg_stat_activity where application_name = 'silent-worker' and query like 'with recursive ready%'`
    while (!(await database.admin.query(sessions)).rowCount) await new Promise((done) => setTimeout(done, 10))
    proxy.fallSilent()
    await worker.stop()
    await proxy.close()
  },
)

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { showDelivery } from '../../host/events/deliveries.ts'
import { replayDeliveries } from '../../host/events/replay.ts'
import { type Portal, startPortal } from '../installations/support.ts'
import { cipher, createTestClock, deliveriesOf, type Subscriber, subscribe } from './support.ts'

let portal: Portal
const clock = createTestClock()

before(async () => {
  portal = await startPortal(clock.now)
})
after(() => portal?.close())

async function ownedApp() {
  const app = await subscribe(portal, 'https://receiver.test/')
  await portal.database.admin.query(`insert into core.partners (id, name) values ('p1', 'P') on conflict do nothing`)
  await portal.database.admin.query(`update core.apps set partner_id = 'p1' where id = $1`, [app.appId])
  const base = `/partners/api/apps/${app.slug}/deliveries`
  return { app, base, post: (path: string, json?: unknown) => ask('POST', base + path, json) }
}

const ask = (method: string, path: string, json?: unknown) => portal.call(path, { method, partner: 'p1', json })

/** Past deliveries of an app that never arrived. */
async function addTerminal({ tenantId, installationId, appId }: Subscriber, count: number): Promise<void> {
  await portal.database.admin.query(
    `insert into core.deliveries (tenant_id, installation_id, app_id, event_id, event, state, created_at)
      select $1, $2, $3, core.uuid7(), 'education.students.created', 'terminal', $4 from generate_series(1, $5)`,
    [tenantId, installationId, appId, clock.now(), count],
  )
  await portal.database.admin.query('analyze core.deliveries')
}

/** Nobody gets at deliveries until the end. `waiting` is how many wait to. */
async function hold() {
  const busy = await portal.database.admin.connect()
  await busy.query('begin; lock table core.deliveries in access exclusive mode')
  return {
    async waiting(): Promise<number> {
      const { rowCount } = await portal.database.admin.query(
        `select from pg_locks where not granted and relation = 'core.deliveries'::regclass
          and database = (select oid from pg_database where datname = current_database())`,
      )
      return rowCount ?? 0
    },
    async end() {
      await busy.query('rollback')
      busy.release()
    },
  }
}

test('whatever may take long of deliveries, by whoever asks, leaves sessions of the pool to those who sign in', async () => {
  const apps = [await ownedApp(), await ownedApp()]
  const held = await hold()
  const id = randomUUID()
  const asked = apps.flatMap(({ base, post }) => [
    ...[ask('GET', `${base}/${id}`), ask('GET', base), post(`/${id}/replay`), post('/replay', { ids: [id] })],
    post('/recover', { since: clock.now().toISOString() }),
  ])
  while ((await held.waiting()) < 2) await new Promise(setImmediate)
  let served = false
  const other = portal.system.query('select from core.accounts limit 1').then(() => {
    served = true
  })
  while (!served && (await held.waiting()) < 4) await new Promise(setImmediate)
  const waiting = await held.waiting()
  await held.end()
  await other
  const answers = (await Promise.all(asked)).map(({ status }) => status)
  assert.deepEqual([served, waiting], [true, 2])
  assert.deepEqual(answers, [...[404, 200, 404, 202, 202], ...[404, 200, 404, 202, 202]])
})

test('deliveries are found by their ids at the app’s schools; however many it has, no others are read', async () => {
  const { app, base, post } = await ownedApp()
  await addTerminal(app, 30_000)
  await portal.createStudent(app.token)
  const { id } = (await deliveriesOf(portal, app.installationId)).at(-1)!
  const single = new pg.Pool({ ...portal.database.superuser, max: 1 })
  /** Rows of deliveries that `work` reads, whether it finds them or passes them by. */
  const readBy = async (work: () => Promise<unknown>) => {
    await single.query('begin; set local role partner_system')
    await work()
    await single.query('reset role')
    const { rows } = await single.query<{ read: number }>(
      `select (seq_tup_read + idx_tup_fetch)::int as read from pg_stat_xact_user_tables where relid = 'core.deliveries'::regclass`,
    )
    await single.query('rollback')
    return rows[0]!.read
  }
  const shown = await readBy(() => showDelivery(single, cipher, app.appId, id))
  const ids = [id, ...Array.from({ length: 999 }, () => randomUUID())]
  const replayed = await readBy(() => replayDeliveries(single, app.appId, ids, clock.now()))
  await single.end()
  assert.ok(shown < 10 && replayed < 10, `${shown} and ${replayed} rows`)
  assert.equal((await ask('GET', `${base}/nonsense`)).status, 404)
  assert.equal((await post('/nonsense/replay')).status, 404)
})

test('what did not arrive is sent again some thousand rows at a time, so that nobody waits for all of it', async () => {
  const { app, post } = await ownedApp()
  await addTerminal(app, 10_001)
  const answer = await post('/recover', { since: clock.now().toISOString() })
  assert.deepEqual([answer.status, answer.body.recovered], [202, 10_001])
  const { rows } = await portal.database.admin.query<{ state: string; rows: number }>(
    `select state, count(*)::int as rows from core.deliveries where installation_id = $1 group by xmin::text, state order by 2`,
    [app.installationId],
  )
  assert.deepEqual(rows, [
    { state: 'pending', rows: 1 },
    { state: 'pending', rows: 10_000 },
  ])
})

test('an app’s deliveries are recovered by one request at a time; one whose host was killed keeps the next waiting for a minute', async () => {
  const { app, post } = await ownedApp()
  const recover = () => post('/recover', { since: clock.now().toISOString() })
  const held = await hold()
  const first = recover()
  while ((await held.waiting()) < 1) await new Promise(setImmediate)
  let answered = false
  const second = recover().finally(() => {
    answered = true
  })
  while (!answered && (await held.waiting()) < 2) await new Promise(setImmediate)
  await held.end()
  const statuses = (await Promise.all([first, second])).map(({ status }) => status)
  assert.deepEqual(statuses, [202, 409])
  assert.equal((await recover()).status, 202)
  const left = (seconds: number) =>
    portal.database.admin.query(
      `insert into core.recoveries (app_id, held_until) values ($1, now() + $2 * interval '1 second')
        on conflict (app_id) do update set held_until = excluded.held_until`,
      [app.appId, seconds],
    )
  await left(50)
  assert.equal((await recover()).status, 409)
  await left(-1)
  assert.equal((await recover()).status, 202)
})

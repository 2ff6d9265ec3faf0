import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { claimDeliveries } from '../../host/events/claim.ts'
import { replayDeliveries } from '../../host/events/replay.ts'
import { type Result, recordResults, releaseClaims, stopDeliveries } from '../../host/events/results.ts'
import { uninstallApp } from '../../host/installations/uninstall.ts'
import {
  cipher,
  createTestClock,
  deliveriesOf,
  type Platform,
  startPlatform,
  type Subscriber,
  subscribe,
} from './support.ts'

let platform: Platform
const clock = createTestClock()

// Among others' deliveries these are found by index, as in a queue that is in use.
before(async () => {
  platform = await startPlatform(clock.now)
  const { admin } = platform.database
  await admin.query(
    `insert into core.deliveries (tenant_id, installation_id, app_id, event_id, event, state, created_at)
      select 'other', 'other', 'other', core.uuid7(), 'e', 'delivered', $1 from generate_series(1, 20000)`,
    [clock.now()],
  )
  await admin.query('analyze core.deliveries')
})
after(() => platform?.close())

/** Deliveries of three records that a worker has claimed. */
async function claimedOf(app: Subscriber) {
  for (let i = 0; i < 3; i++) await platform.createStudent(app.token)
  const { claimed } = await claimDeliveries(platform.system, clock.now(), { standard: 16, byApp: new Map() })
  assert.equal(claimed.length, 3)
  return claimed
}

const delivered = (delivery: Result['delivery']): Result => ({
  delivery,
  outcome: { ok: true, status: 200, error: null, isSent: true, durationMs: 1, headers: {}, body: '' },
  startedAt: clock.now(),
  endedAt: clock.now(),
  sentHeaders: {},
})

async function untilWaiting(count: number): Promise<void> {
  const text = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  while ((await platform.database.admin.query(text)).rowCount !== count)
    await new Promise((done) => setTimeout(done, 1))
}

const uninstall = ({ tenantId, installationId }: Subscriber) =>
  uninstallApp(
    {
      ...{
        system: platform.system,
        cipher,
        clock: clock.now,
        grantsChanged: async () => {},
        deliveriesStopped: async () => {},
      },
      ...{ applyTenantData: async () => {}, rowsFollow: () => {} },
    },
    { tenantId, installationId, accountId: null },
  )

type Claims = Awaited<ReturnType<typeof claimedOf>>
const batches: Record<string, (claims: Claims) => Promise<unknown>> = {
  'a batch of results': (claims) => recordResults(platform.system, cipher, claims.map(delivered)),
  'deliveries that are stopped': (claims) => stopDeliveries(platform.system, claims, clock.now()),
  'claims that are given back': (claims) => releaseClaims(platform.system, claims),
}

for (const [name, write] of Object.entries(batches)) {
  test(`${name} and an uninstall of their app take turns, whatever the batch's order`, async () => {
    const { admin } = platform.database
    const app = await subscribe(platform, 'http://127.0.0.1:1/')
    const claims = await claimedOf(app)
    const holder = await admin.connect()
    await holder.query('begin')
    await holder.query('select from core.deliveries where id = $1 for update', [claims[1]!.id])
    const uninstalled = uninstall(app)
    await untilWaiting(1)
    const written = write(claims.toReversed())
    await untilWaiting(2)
    await holder.query('commit')
    holder.release()
    const ends = await Promise.allSettled([uninstalled, written])
    assert.deepEqual(
      ends.map((end) => (end.status === 'rejected' ? String(end.reason) : end.status)),
      ['fulfilled', 'fulfilled'],
    )
    assert.deepEqual(
      new Set((await deliveriesOf(platform, app.installationId)).map(({ state }) => state)),
      new Set(['terminal']),
    )
  })
}

test('a replay leaves alone what is being written down, and waits for nobody', async () => {
  const app = await subscribe(platform, 'http://127.0.0.1:1/')
  const claims = await claimedOf(app)
  await recordResults(platform.system, cipher, claims.map(delivered))
  const [first, held, last] = claims.map(({ id }) => id)
  const holder = await platform.database.admin.connect()
  await holder.query('begin')
  await holder.query('select from core.deliveries where id = $1 for update', [held])
  const replayed = await replayDeliveries(platform.system, app.appId, [first!, held!, last!], clock.now())
  assert.deepEqual(replayed.sort(), [first, last].sort())
  await holder.query('rollback')
  holder.release()
})

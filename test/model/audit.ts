import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { kinds, shapes } from './resources.ts'
import * as state from './state.ts'
import type { Model } from './state.ts'

/** Of what comes shortly after, in milliseconds. */
const longestWait = 2_000

const byText = (a: unknown[], b: unknown[]): number => (String(a[0]) < String(b[0]) ? -1 : 1)

/** What the database holds and the portals show is what the model holds, and nothing is left open. */
export async function audit(model: Model): Promise<void> {
  await auditConnections(model)
  await auditRecords(model)
  await auditInstallations(model)
  await auditDeliveries(model)
  await auditAccessLog(model)
}

/** What a host does by itself, such as measuring, may use a connection for a moment. */
async function auditConnections({ world }: Model): Promise<void> {
  const pools = world.webs.map(({ context }) => context.database.pool)
  const inUse = () => pools.some((pool) => pool.waitingCount > 0 || pool.totalCount > pool.idleCount)
  const open = `select query from pg_stat_activity where datname = current_database() and state like 'idle in%'`
  for (const end = Date.now() + longestWait; ; await pause(10)) {
    const { rows } = await world.database.admin.query(open)
    if (rows.length === 0 && !inUse()) return
    assert.ok(Date.now() < end, `connections in use, and open transactions: ${JSON.stringify(rows)}`)
  }
}

async function auditRecords({ world, tenants }: Model): Promise<void> {
  for (const kind of kinds) {
    const { rows } = await world.database.admin.query(
      `select id, tenant_id from core.${kind} where tenant_id = any ($1) order by id`,
      [tenants.map(({ id }) => id)],
    )
    const known = tenants.flatMap((tenant) => [...tenant.records[kind].keys()].map((id) => [id, tenant.id]))
    assert.deepEqual(
      rows.map((row) => [row.id, row.tenant_id]),
      known.toSorted(byText),
      kind,
    )
  }
}

type Shown = { id: string; version: string; granted_scopes: string[]; pending: Pending | null }
type Pending = { version: string; scopes: { key: string }[] }

/** As each school's administrator sees them, with what waits for approval. */
async function auditInstallations(model: Model): Promise<void> {
  for (const tenant of model.tenants) {
    const { body } = await model.world.administrator(1, tenant, '/partners/api/school/installations')
    const shown = (body.data as Shown[]).map(({ id, version, granted_scopes: granted, pending }) => [
      ...[id, version, granted.toSorted()],
      pending && [pending.version, pending.scopes.map(({ key }) => key).toSorted()],
    ])
    const active = model.installations.filter((one) => one.tenant === tenant && one.state === 'active')
    const known = active.map(({ id, app, version, granted }) => {
      assert.ok(state.holds(granted, state.requires(version)), 'what a version requires is granted')
      const [newest] = state.publishedOf(app)
      const isNewer = newest && newest !== version
      const more = isNewer ? state.asks(newest).filter((key) => !granted.includes(key)) : []
      return [id, version.name, granted.toSorted(), isNewer ? [newest.name, more.toSorted()] : null]
    })
    assert.deepEqual(shown, known.toSorted(byText), 'installations')
  }
}

async function auditDeliveries({ world, apps, deliveries }: Model): Promise<void> {
  const { rows } = await world.database.admin.query(
    `select installation_id, event, record_id, state, attempt_count, replay_count, due_at, lease
      from core.deliveries where app_id = any ($1)`,
    [apps.map(({ id }) => id)],
  )
  const stored = rows.map((row) => JSON.stringify(Object.values(row)))
  const known = deliveries.map(({ installation, event, recordId, state: name, attempts, replays, dueAt }) =>
    JSON.stringify([installation.id, event, recordId, name, attempts, replays, dueAt && new Date(dueAt), null]),
  )
  assert.deepEqual(stored.toSorted(), known.toSorted(), 'deliveries')
  for (const app of apps) {
    const { body } = await world.operator(0, `/partners/api/apps/${app.slug}/deliveries?per_page=7`)
    const own = deliveries.filter(({ installation }) => installation.app === app)
    const newest = own.slice(-7).toReversed()
    assert.deepEqual(
      [body.total, body.data.map((one: { event: string; state: string }) => [one.event, one.state])],
      [own.length, newest.map(({ event, state: name }) => [event, name])],
      'deliveries shown',
    )
  }
  const orphans = `select from core.events e where tenant_id = any ($1)
    and not exists (select from core.deliveries d where d.tenant_id = e.tenant_id and d.event_id = e.id)`
  const schools = [...new Set(deliveries.map(({ installation }) => installation.tenant.id))]
  assert.equal((await world.database.admin.query(orphans, [schools])).rowCount, 0, 'events without receivers')
}

/** Every access once, and none that was not. Entries are written in bulk. */
async function auditAccessLog({ world, tenants, log }: Model): Promise<void> {
  const read = async () => {
    const { rows } = await world.database.admin.query(
      'select tenant_id, app, installation_id, operation, record_ids from core.access_log where tenant_id = any ($1)',
      [tenants.map(({ id }) => id)],
    )
    const ofRecords = rows.filter(({ operation }) =>
      kinds.some((kind) => operation.startsWith(`${shapes[kind].name}.`)),
    )
    return ofRecords.map((row) => [...Object.values(row).slice(0, 4), row.record_ids.join(',')].join(' '))
  }
  let written = await read()
  for (const end = Date.now() + longestWait; written.length < log.length && Date.now() < end; written = await read())
    await pause(10)
  assert.deepEqual(written.toSorted(), log.toSorted(), 'access log')
}

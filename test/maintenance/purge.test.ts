import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { pino } from 'pino'
import { ulid } from 'ulid'
import { startHourlyPurge } from '../../host/maintenance/hourly-purge.ts'
import { purge } from '../../host/maintenance/purge.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createSchool, installApp, type InstalledApp } from '../support/school.ts'
import { signedVersion } from '../support/signed-version.ts'

let database: TestDatabase
let system: pg.Pool
let app: InstalledApp

/** The clock of these tests: far from the real one, so that none of the rules can look at that. */
const now = new Date('2031-05-04T12:00:30Z')
const ago = (milliseconds: number) => new Date(now.getTime() - milliseconds)
const second = 1_000
const hour = 3_600_000
const day = 24 * hour

before(async () => {
  database = await createTestDatabase()
  system = new pg.Pool({ ...database.connection.system, max: 2 })
  app = await installApp(database.admin, await createSchool(database.admin))
})

after(async () => {
  await system?.end()
  await database?.drop()
})

const purgeNow = () =>
  purge(system, now, (_, error) => {
    throw error
  })

const insert = (table: string, fields: Record<string, unknown>) => {
  const names = Object.keys(fields)
  return database.admin.query(
    `insert into core.${table} (${names.join(', ')}) values (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
    Object.values(fields),
  )
}

const left = async (table: string, column: string) => {
  const { rows } = await database.admin.query(`select ${column} as one from core.${table} order by 1`)
  return rows.map(({ one }) => one)
}

test('an idempotency key goes when its 24 hours are over', async () => {
  const key = (name: string, age: number) =>
    insert('idempotency_keys', {
      tenant_id: app.tenantId,
      installation_id: app.installationId,
      key: name,
      fingerprint: 'f',
      created_at: ago(age),
    })
  await Promise.all([key('old', day), key('young', day - second)])
  assert.equal((await purgeNow()).idempotency_keys, 1)
  assert.deepEqual(await left('idempotency_keys', 'key'), ['young'])
})

test('counts of past minutes go, those a late clock may still count in stay', async () => {
  const minute = (at: Date) => Math.floor(at.getTime() / 60_000)
  const count = (installation: string, age: number) =>
    insert('request_counts', {
      tenant_id: app.tenantId,
      installation_id: installation,
      minute: minute(ago(age)),
      used: 1,
    })
  await Promise.all([count('a', 0), count('b', 5 * 60 * second), count('c', 2 * hour)])
  await Promise.all(
    [0, 2 * hour].map((age) => insert('address_counts', { address: `a${age}`, minute: minute(ago(age)), used: 1 })),
  )
  await Promise.all(
    [0, 2 * hour].map((age) => insert('test_event_counts', { app_id: `a${age}`, minute: minute(ago(age)), used: 1 })),
  )
  const removed = await purgeNow()
  assert.deepEqual([removed.request_counts, removed.address_counts, removed.test_event_counts], [1, 1, 1])
  assert.deepEqual(await left('request_counts', 'installation_id'), ['a', 'b'])
  assert.deepEqual(await left('address_counts', 'address'), ['a0'])
})

test('sessions go when they expire, more of them than fit one batch', async () => {
  const accountId = ulid()
  await insert('accounts', {
    tenant_id: app.tenantId,
    id: accountId,
    username: 'purged',
    password_hash: '-',
    person_type: 'supervisor',
    display_name: 'P',
  })
  await database.admin.query(
    `insert into core.sessions (token_hash, tenant_id, account_id, csrf_secret, expires_at)
      select decode(lpad(to_hex(n), 8, '0'), 'hex'), $1, $2, '\\x00', case when n <= 11000 then $3 else $4 end::timestamptz
      from generate_series(1, 11003) n`,
    [app.tenantId, accountId, ago(second), ago(-second)],
  )
  assert.equal((await purgeNow()).sessions, 11_000)
  assert.equal((await left('sessions', 'token_hash')).length, 3)
})

test('a token goes a day after it expired or was revoked; one that works stays', async () => {
  const token = (id: string, fields: Record<string, unknown>) =>
    insert('installation_tokens', {
      tenant_id: app.tenantId,
      id,
      installation_id: app.installationId,
      token_hash: Buffer.from(id),
      token_encrypted: Buffer.from(id),
      environment: 'live',
      ...fields,
    })
  await Promise.all([
    token('expired', { expires_at: ago(day) }),
    token('revoked', { revoked_at: ago(day), expires_at: ago(-day) }),
    token('rotated', { expires_at: ago(15 * 60 * second) }),
    token('works', { expires_at: ago(-hour) }),
  ])
  assert.equal((await purgeNow()).installation_tokens, 2)
  const kept = await left('installation_tokens', 'id')
  assert.equal(kept.length, 3)
  assert.deepEqual(kept.filter((id) => id.length < 26).sort(), ['rotated', 'works'])
})

test('an attempt to deliver goes after 30 days, more of them than fit one batch', async () => {
  await database.admin.query(
    `insert into core.delivery_attempts (tenant_id, delivery_id, installation_id, at, number, duration_ms, exchange_encrypted)
      select $1, core.uuid7(), $2, case when n <= 11000 then $3 else $4 end::timestamptz, n % 6 + 1, 1, ''
      from generate_series(1, 11003) n`,
    [app.tenantId, app.installationId, ago(30 * day), ago(30 * day - second)],
  )
  assert.equal((await purgeNow()).delivery_attempts, 11_000)
  assert.equal((await left('delivery_attempts', 'number')).length, 3)
})

test('a line of a module’s log and a strike go after 30 days', async () => {
  const one = { tenant_id: app.tenantId, installation_id: app.installationId, reason: 'r' }
  const line = { tenant_id: app.tenantId, position: 0, app: app.slug, level: 'info', message: 'm' }
  for (const [name, age] of Object.entries({ old: 30 * day, young: 30 * day - second })) {
    await insert('strikes', { ...one, reason: name, at: ago(age) })
    await insert('module_log', { ...line, invocation_id: name, at: ago(age) })
  }
  const removed = await purgeNow()
  assert.deepEqual([removed.strikes, removed.module_log], [1, 1])
  assert.deepEqual([await left('strikes', 'reason'), await left('module_log', 'invocation_id')], [['young'], ['young']])
})

test('what was sent to the contacts endpoint goes after 90 days', async () => {
  for (const [id, age] of Object.entries({ old: 90 * day, young: 90 * day - second }))
    await insert('contact_submissions', { id, submission: {}, created_at: ago(age) })
  assert.equal((await purgeNow()).contact_submissions, 1)
  assert.deepEqual(await left('contact_submissions', 'id'), ['young'])
})

test('failed attempts to sign in go a day after the last window began', async () => {
  for (const age of [day, day - second])
    await insert('sign_in_attempts', { key: Buffer.from(String(age)), since: ago(age), failures: 3 })
  assert.equal((await purgeNow()).sign_in_attempts, 1)
  assert.equal((await left('sign_in_attempts', 'key')).length, 1)
})

test('of a bundle’s code caches those of the three newest engines stay; a bundle that no version has goes after a day', async () => {
  const { hash } = await signedVersion(database.admin)
  await database.admin.query('update core.app_bundles set created_at = $2 where hash = $1', [hash, ago(9 * day)])
  for (const [maker, age] of Object.entries({ first: 5 * day, second: 4 * day, third: 3 * day, fourth: 2 * day }))
    await insert('code_caches', { bundle_hash: hash, maker, cache: Buffer.alloc(1), made_at: ago(age) })
  await insert('app_bundles', { hash: 'a-saved', code: '', created_at: ago(day) })
  await insert('app_bundles', { hash: 'b-just-saved', code: '', created_at: ago(day - second) })
  await insert('code_caches', { bundle_hash: 'a-saved', maker: 'goes too', cache: Buffer.alloc(1) })
  const removed = await purgeNow()
  assert.deepEqual([removed.code_caches, removed.app_bundles], [1, 1])
  assert.deepEqual(await left('code_caches', 'maker'), ['fourth', 'second', 'third'])
  assert.deepEqual(new Set(await left('app_bundles', 'hash')), new Set(['b-just-saved', hash]))
})

test('what a school or a partner may ask for is never removed: who read what, consents, deliveries', async () => {
  const { tenantId, installationId, slug } = app
  const of = { tenant_id: tenantId, installation_id: installationId }
  const at = ago(4_000 * day)
  await insert('access_log', { ...of, at, app: slug, operation: 'o', record_ids: ['r'] })
  await insert('consents', { ...of, action: 'installed', scopes: [], at })
  const eventId = '00000000-0000-7000-8000-000000000000'
  await insert('events', {
    tenant_id: tenantId,
    id: eventId,
    name: 'e',
    created_at: at,
    data_encrypted: Buffer.alloc(1),
  })
  const delivery = { app_id: slug, event_id: eventId, event: 'e', state: 'delivered', created_at: at, finished_at: at }
  await insert('deliveries', { ...of, ...delivery })
  await purgeNow()
  for (const table of ['access_log', 'consents', 'events', 'deliveries'])
    assert.equal((await left(table, 'tenant_id')).length, 1, table)
})

test('a row that somebody works on is left for the next hour instead of waited for', async () => {
  await database.admin.query(`update core.idempotency_keys set created_at = $1`, [ago(2 * day)])
  const client = await database.admin.connect()
  try {
    await client.query('begin')
    await client.query(`update core.idempotency_keys set status = 200`)
    assert.equal((await purgeNow()).idempotency_keys, 0)
    await client.query('rollback')
  } finally {
    client.release()
  }
  assert.equal((await purgeNow()).idempotency_keys, 1)
})

test('a table that cannot be purged is told of, and keeps no other from it', async () => {
  const role = database.connection.system.user
  await insert('address_counts', { address: 'past', minute: 1, used: 1 })
  await database.admin.query(`revoke delete on core.idempotency_keys from "${role}"`)
  const failed: [string, unknown][] = []
  const removed = await purge(system, now, (table, error) => failed.push([table, (error as pg.DatabaseError).code]))
  await database.admin.query(`grant delete on core.idempotency_keys to "${role}"`)
  assert.deepEqual(failed, [['idempotency_keys', '42501']])
  assert.deepEqual([removed.idempotency_keys, removed.address_counts], [undefined, 1])
})

test('the worker purges when it starts, by the clock it is given', async () => {
  await insert('address_counts', { address: 'past', minute: 1, used: 1 })
  const job = startHourlyPurge({
    connection: database.connection.system,
    logger: pino({ level: 'silent' }),
    clock: () => now,
  })
  await job.idle()
  assert.deepEqual(await left('address_counts', 'address'), ['a0'])
  await job.stop()
})

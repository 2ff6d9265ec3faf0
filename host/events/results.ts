import type pg from 'pg'
import type { Cipher } from '../../partner-services/service/ports.ts'
import type { Claimed } from './claim.ts'
import { nextAttempt } from './retry-schedule.ts'
import type { Outcome } from './webhook-client.ts'

/** One attempt as it ended. */
export type Result = {
  delivery: Claimed
  outcome: Outcome
  startedAt: Date
  endedAt: Date
  sentHeaders: Record<string, string>
}

export type Exchange = {
  request_headers: Record<string, string>
  response_headers: Record<string, string>
  response_body: string
}

export const exchangeField = (deliveryId: string) => `attempt:${deliveryId}`

/**
 * Whoever changes many deliveries locks them in the order of their position, so that none of two holds what the other waits
 * for. The one that an end puts back into the queue comes after it.
 */
export const inOneOrder = 'order by d.position for no key update of d'

// A result counts only under the lease it was made under: what was taken over, stopped or erased meanwhile stays so. A record
// of the school that was sent was accessed, whatever became of its delivery; invented data is of no record.
const recordAll = `with result as (
    select * from unnest($1::text[], $2::uuid[], $3::uuid[], $4::text[], $5::timestamptz[], $6::timestamptz[],
      $7::timestamptz[], $8::int[], $9::int[], $10::text[], $11::bytea[], $12::text[],
      $13::text[], $14::text[], $15::text[], $16::boolean[])
      as r(tenant_id, id, lease, state, due_at, ended_at, started_at, duration_ms, status, error, exchange, app_id,
        installation_id, event, record_id, is_sent)
  ), held as (
    select d.tenant_id, d.id from result r join core.deliveries d on d.tenant_id = r.tenant_id and d.id = r.id
    where d.lease = r.lease and d.state = 'delivering' ${inOneOrder}
  ), kept as (
    update core.deliveries d set state = r.state, due_at = r.due_at, lease = null, leased_until = null, attempt_count = d.attempt_count + 1,
      finished_at = case when r.due_at is null then r.ended_at end
    from held join result r using (tenant_id, id) where d.tenant_id = held.tenant_id and d.id = held.id
    returning d.tenant_id, d.id, d.installation_id, d.attempt_count, r.started_at, r.duration_ms, r.status, r.error, r.exchange
  ), recovered as (
    delete from core.endpoints e using result r where r.app_id = e.app_id and r.state = 'delivered' and e.paused_at is null
  ), accessed as (
    insert into core.access_log (tenant_id, at, app, installation_id, operation, record_ids)
    select r.tenant_id, r.started_at, a.slug, r.installation_id, r.event, array[r.record_id]
    from result r join core.apps a on a.id = r.app_id
    where r.is_sent and r.record_id is not null and core.scope_of_event(r.event) is not null
  )
  insert into core.delivery_attempts (tenant_id, delivery_id, installation_id, at, number, duration_ms, status, error, exchange_encrypted)
  select tenant_id, id, installation_id, started_at, attempt_count, duration_ms, status, error, exchange from kept
  on conflict do nothing`

/** Writes what came of many attempts, and which records of a school they carried, in one statement. */
export async function recordResults(pool: pg.Pool, cipher: Cipher, results: readonly Result[]): Promise<void> {
  const rows = results.map((result) => rowOf(cipher, result))
  const columns = rows[0]!.map((_, column) => rows.map((row) => row[column]))
  await pool.query({ name: 'delivery-results', text: recordAll, values: columns })
}

function rowOf(cipher: Cipher, { delivery, outcome, startedAt, endedAt, sentHeaders }: Result): unknown[] {
  const { tenant_id, id, lease, attempt_count, app_id, installation_id, event, record_id } = delivery
  const dueAt = outcome.ok ? null : nextAttempt(attempt_count + 1, endedAt)
  const state = outcome.ok ? 'delivered' : dueAt ? 'retrying' : 'terminal'
  const exchange: Exchange = {
    request_headers: sentHeaders,
    response_headers: outcome.headers,
    response_body: outcome.body,
  }
  const sealed = cipher.encrypt(tenant_id, exchangeField(id), Buffer.from(JSON.stringify(exchange)))
  const { durationMs, status, error, isSent } = outcome
  return [
    ...[tenant_id, id, lease, state, dueAt, endedAt, startedAt, durationMs, status, error, sealed, app_id],
    ...[installation_id, event, record_id, isSent],
  ]
}

const heldLeases = `with held as (
    select d.tenant_id, d.id from unnest($1::text[], $2::uuid[], $3::uuid[]) r(tenant_id, id, lease)
    join core.deliveries d on d.tenant_id = r.tenant_id and d.id = r.id and d.lease = r.lease ${inOneOrder}
  )`

/** Deliveries whose scope was taken back, or whose installation ended: nothing is sent, now or later. */
export async function stopDeliveries(pool: pg.Pool, deliveries: readonly Claimed[], now: Date): Promise<void> {
  await pool.query({
    name: 'deliveries-stopped',
    text: `${heldLeases}
      update core.deliveries d set state = 'terminal', due_at = null, lease = null, leased_until = null, finished_at = $4
      from held where d.tenant_id = held.tenant_id and d.id = held.id`,
    values: [
      deliveries.map((one) => one.tenant_id),
      deliveries.map((one) => one.id),
      deliveries.map((one) => one.lease),
      now,
    ],
  })
}

/** Claims that were not used are anybody's again at once. */
export async function releaseClaims(pool: pg.Pool, deliveries: readonly Claimed[]): Promise<void> {
  await pool.query({
    name: 'claims-released',
    text: `${heldLeases}
      update core.deliveries d set lease = null, leased_until = null,
        state = case when d.attempt_count = 0 then 'pending' else 'retrying' end
      from held where d.tenant_id = held.tenant_id and d.id = held.id`,
    values: [
      deliveries.map((one) => one.tenant_id),
      deliveries.map((one) => one.id),
      deliveries.map((one) => one.lease),
    ],
  })
}

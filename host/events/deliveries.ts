import type pg from 'pg'
import { NotFoundException } from '../../partner-services/service/errors.ts'
import type { Cipher, Page } from '../../partner-services/service/ports.ts'
import { openEventData } from './event-data.ts'
import { maskData, maskEcho } from './masking.ts'
import { type Exchange, exchangeField } from './results.ts'

export type DeliveryState = 'pending' | 'delivering' | 'delivered' | 'retrying' | 'terminal'

export type DeliverySummary = {
  id: string
  installation_id: string
  tenant_id: number
  event: string
  state: DeliveryState
  attempt_count: number
  replay_count: number
  created_at: Date
  /** When the next attempt is due; null where none is. */
  next_attempt_at: Date | null
  finished_at: Date | null
}

export type Attempt = {
  number: number
  at: Date
  duration_ms: number
  status: number | null
  error: string | null
} & Exchange

export type DeliveryDetail = DeliverySummary & {
  /** The body as sent, with every text of its data masked. */
  body: Record<string, unknown>
  attempts: Attempt[]
}

export type DeliveryFilter = { state?: DeliveryState; event?: string; installationId?: string }

const columns = `d.id, d.installation_id, t.number as tenant_id, d.event, d.state, d.attempt_count, d.replay_count, d.created_at,
  case when d.state in ('pending', 'retrying') then d.due_at end as next_attempt_at, d.finished_at`

const matching = `d.app_id = $1 and ($2::text is null or d.state = $2) and ($3::text is null or d.event = $3)
  and ($4::text is null or d.installation_id = $4)`

/** Before an id, whose key begins with the school: of the app `$1` no other deliveries are read. */
export const atOwnSchools = `d.tenant_id = any (array(select i.tenant_id from core.installations i where i.app_id = $1))`

/** One page of an app's deliveries, newest first. Takes the system role's pool. */
export async function listDeliveries(
  pool: pg.Pool,
  appId: string,
  { state, event, installationId }: DeliveryFilter = {},
  { page, per_page }: { page: number; per_page: number } = { page: 1, per_page: 20 },
): Promise<Page<DeliverySummary>> {
  const filter = [appId, state ?? null, event ?? null, installationId ?? null]
  const counted = await pool.query<{ total: number }>(
    `select count(*)::int as total from core.deliveries d where ${matching}`,
    filter,
  )
  const { rows } = await pool.query<DeliverySummary>(
    `select ${columns} from core.deliveries d join core.tenants t on t.id = d.tenant_id where ${matching}
      order by d.position desc limit $5 offset $6`,
    [...filter, per_page, (page - 1) * per_page],
  )
  const { total } = counted.rows[0]!
  return { data: rows, total, per_page, current_page: page, last_page: Math.max(1, Math.ceil(total / per_page)) }
}

type DetailRow = DeliverySummary & { tenant: string; event_id: string; data_encrypted: Buffer; event_at: Date }

/** One delivery of an app, by its UUID, with its attempts. Student data is masked; a token is never shown. */
export async function showDelivery(pool: pg.Pool, cipher: Cipher, appId: string, id: string): Promise<DeliveryDetail> {
  const { rows } = await pool.query<DetailRow>(
    `select ${columns}, d.tenant_id as tenant, d.event_id, e.data_encrypted, e.created_at as event_at from core.deliveries d
      join core.tenants t on t.id = d.tenant_id join core.events e on e.tenant_id = d.tenant_id and e.id = d.event_id
      where d.app_id = $1 and ${atOwnSchools} and d.id = $2::uuid`,
    [appId, id],
  )
  const row = rows[0]
  if (!row) throw new NotFoundException()
  const { tenant, event_id, data_encrypted, event_at, ...summary } = row
  const data: unknown = JSON.parse(openEventData(cipher, tenant, event_id, data_encrypted))
  return {
    ...summary,
    body: {
      id: event_id,
      event: row.event,
      tenant_id: row.tenant_id,
      created_at: event_at.toISOString(),
      data: maskData(data),
    },
    attempts: await attemptsOf(pool, cipher, { tenant, id: row.id, data }),
  }
}

type AttemptRow = Omit<Attempt, keyof Exchange> & { exchange_encrypted: Buffer }

async function attemptsOf(
  pool: pg.Pool,
  cipher: Cipher,
  { tenant, id, data }: { tenant: string; id: string; data: unknown },
): Promise<Attempt[]> {
  const { rows } = await pool.query<AttemptRow>(
    `select number, at, duration_ms, status, error, exchange_encrypted from core.delivery_attempts
      where tenant_id = $1 and delivery_id = $2 order by at`,
    [tenant, id],
  )
  return rows.map(({ exchange_encrypted, ...attempt }) => {
    const text = cipher.decrypt(tenant, exchangeField(id), exchange_encrypted).toString()
    const exchange = JSON.parse(text) as Exchange
    const headers = Object.entries(exchange.response_headers).map(([name, value]) => [name, maskEcho(value, data)])
    return {
      ...attempt,
      request_headers: exchange.request_headers,
      response_headers: Object.fromEntries(headers),
      response_body: maskEcho(exchange.response_body, data),
    }
  })
}

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { runPipeline, type Statement } from '../database/pipeline.ts'
import { isDatabaseError } from '../database/statements.ts'

/** A delivery that this worker alone may send until `leaseUntil`. */
export type Claimed = {
  tenant_id: string
  id: string
  installation_id: string
  app_id: string
  event_id: string
  event: string
  record_id: string | null
  attempt_count: number
  created_at: string
  tenant_number: number
  data_encrypted: Buffer
  webhook_url: string
  webhook_secret_encrypted: Buffer | null
  /** False where the school took back the scope after the event was written. */
  granted: boolean
  lease: string
  leaseUntil: number
  /** By `performance.now()`, before the claim was sent: it goes on where the clock is put back. */
  claimedAt: number
}

/** How many more deliveries an app's receiver may be given now. */
export type Slots = { standard: number; byApp: ReadonlyMap<string, number> }

/** A claim not answered within this time is anybody's again, in milliseconds. */
export const leaseTime = 60_000

/** So long a claim is taken for what it was, in milliseconds: what waited longer for its receiver is looked at again. */
const freshFor = 1_000

// The statistics of a queue are always of another moment: the plan is by index whatever they say.
const byIndex: Statement = {
  text: `select set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
    set_config('enable_mergejoin', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true)`,
  values: [],
}

/** What is looked at for each app at least, however few its receiver may be given: what waits there steps aside by so many. */
const looksAt = 64

/** The queue as `deliveries_due` has it: a parked delivery lies beside it, as long as it is a first one. */
const queued = 'd.due_at is not null and not (d.parked and d.attempt_count = 0 and d.replay_count = 0)'

const earlierFirst = `select from core.deliveries earlier
  where earlier.installation_id = d.installation_id and earlier.record_id = d.record_id
    and earlier.position < d.position and earlier.due_at is not null
    and earlier.attempt_count = 0 and earlier.replay_count = 0`

/**
 * Walks from app to app with open deliveries, whatever lies between, and takes of each what its receiver has room for,
 * longest due first. A first delivery waits while an earlier one of the same record is open: so a record's events
 * arrive in order as long as nothing fails. What waits is parked, while the earlier one is held open: its end puts the
 * next one back into the queue. So a claim's cost does not grow with what waits behind one record.
 */
const claimDue = `with recursive ready(app_id) as (
    (select d.app_id from core.deliveries d where ${queued} order by d.app_id limit 1)
    union all
    select (select d.app_id from core.deliveries d where ${queued} and d.app_id > ready.app_id order by d.app_id limit 1)
    from ready where ready.app_id is not null
  ), room as materialized (
    select ready.app_id, coalesce(given.slots, $4) as slots from ready
    join core.apps a on a.id = ready.app_id and a.webhook_url is not null and a.disabled_reason is null
    left join unnest($5::text[], $6::int[]) given(app_id, slots) on given.app_id = ready.app_id
    where coalesce(given.slots, $4) > 0
      and not exists (select from core.endpoints e where e.app_id = ready.app_id and e.paused_at is not null)
  ), front as materialized (
    select d.*, count(*) filter (where not d.waits) over (partition by d.app_id order by d.due_at, d.position) <= room.slots as fits,
      d.waits and exists (${earlierFirst} order by earlier.position limit 1 for share of earlier skip locked) as held
    from room cross join lateral (
      select d.*, d.attempt_count = 0 and d.replay_count = 0 and d.record_id is not null and exists (${earlierFirst}) as waits
      from (
        select d.ctid as place, d.* from core.deliveries d
        where d.app_id = room.app_id and ${queued} and d.due_at <= $1 and (d.leased_until is null or d.leased_until <= $1)
        order by d.due_at, d.position limit greatest(room.slots, ${looksAt}) for update of d skip locked) d offset 0) d
  ), parked as (
    update core.deliveries d set parked = true, state = 'pending', leased_until = null, lease = null
    where d.ctid = any (array(select place from front where held)) returning d.id
  ), claimed as (
    update core.deliveries d set state = 'delivering', leased_until = $2, lease = $3
    where d.ctid = any (array(select place from front where fits and not waits)) returning d.*
  ), taken as (
    select c.tenant_id, c.id, c.installation_id, c.app_id, c.event_id, c.event, c.record_id, c.attempt_count, c.created_at,
      t.number as tenant_number, e.data_encrypted, a.webhook_url, a.webhook_secret_encrypted,
      i.status = 'active' and (s.scope is null or s.scope = any (i.granted_scopes)) as granted, c.due_at, c.position
    from claimed c
    join core.tenants t on t.id = c.tenant_id
    join core.apps a on a.id = c.app_id
    join core.installations i on i.tenant_id = c.tenant_id and i.id = c.installation_id
    cross join lateral (select core.scope_of_event(c.event)) s(scope)
    cross join lateral (select data_encrypted from core.events e where e.tenant_id = c.tenant_id and e.id = c.event_id offset 0) e
  )
  select p.parked, t.* from (select count(*) as parked from parked) p left join taken t on true order by t.due_at, t.position`

/** What a claim took, and how many stepped aside: behind them others may be due. */
export type Claims = { claimed: Claimed[]; parked: number }

/** Claims what is due at `now`, in one round trip and one transaction. */
export async function claimDeliveries(
  pool: pg.Pool,
  now: Date,
  slots: Slots,
  claimedAt = performance.now(),
): Promise<Claims> {
  const lease = randomUUID()
  const leaseUntil = new Date(now.getTime() + leaseTime)
  const values = [now, leaseUntil, lease, slots.standard, [...slots.byApp.keys()], [...slots.byApp.values()]]
  const client = await pool.connect()
  try {
    const [, answer] = await runPipeline(client, [byIndex, { text: claimDue, values }])
    client.release()
    const rows = answer as (Claimed & { parked: number })[]
    const claimed = rows
      .filter(({ id }) => id !== null)
      .map((row) => ({ ...row, lease, leaseUntil: leaseUntil.getTime(), claimedAt }))
    return { claimed, parked: rows[0]!.parked }
  } catch (error) {
    client.release(!isDatabaseError(error))
    throw error
  }
}

const claimedStill = `select a.webhook_url, a.webhook_secret_encrypted from core.deliveries d
  join core.apps a on a.id = d.app_id and a.webhook_url is not null and a.disabled_reason is null
  join core.installations i on i.tenant_id = d.tenant_id and i.id = d.installation_id and i.status = 'active'
  cross join lateral (select core.scope_of_event(d.event)) s(scope)
  where d.tenant_id = $1 and d.id = $2 and d.lease = $3 and (s.scope is null or s.scope = any (i.granted_scopes))`

/** A claim as it stands now; null where nothing may be sent for it any more, since the school or the partner ended that. */
export async function refreshClaim(
  pool: pg.Pool,
  claimed: Claimed,
  passed = performance.now(),
): Promise<Claimed | null> {
  if (passed < claimed.claimedAt + freshFor) return claimed
  const { rows } = await pool.query<Pick<Claimed, 'webhook_url' | 'webhook_secret_encrypted'>>({
    name: 'claimed-still',
    text: claimedStill,
    values: [claimed.tenant_id, claimed.id, claimed.lease],
  })
  return rows[0] ? { ...claimed, ...rows[0] } : null
}

/**
 * Whether so many milliseconds are left of its lease: by this host's clock, and by the time that passed, since others take it
 * by theirs and either may have been put on or back.
 */
export const leaseHolds = (
  { leaseUntil, claimedAt }: Claimed,
  { now, passed }: { now: Date; passed: number },
  milliseconds: number,
): boolean => now.getTime() + milliseconds < leaseUntil && passed + milliseconds < claimedAt + leaseTime

/** Resolves once every claim that was made before now is looked at again before anything is sent for it. */
export const untilClaimsAreOld = (): Promise<void> => sleep(freshFor)

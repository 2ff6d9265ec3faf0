import type pg from 'pg'
import { mayRunLong } from '../database/time-limits.ts'
import { inTransaction } from '../database/in-transaction.ts'

/**
 * Those of which `which` holds. A delivery under way is left alone, and never waited for; so is one whose scope the school took
 * back, or whose installation ended.
 */
const again = (which: string) => `with held as (
    select d.tenant_id, d.id from core.deliveries d
    join core.installations i on i.tenant_id = d.tenant_id and i.id = d.installation_id and i.status = 'active'
    where d.app_id = $1 and d.state <> 'delivering' and ${which}
      and (core.scope_of_event(d.event) is null or core.scope_of_event(d.event) = any (i.granted_scopes))
    for no key update of d skip locked
  )
  update core.deliveries d set state = 'pending', due_at = $2, lease = null, leased_until = null, attempt_count = 0,
    replay_count = d.replay_count + 1, finished_at = null
  from held where d.tenant_id = held.tenant_id and d.id = held.id`

/** Sends past deliveries of an app again, under their own ids, with six new attempts. Answers with the ids that are due. */
export async function replayDeliveries(
  pool: pg.Pool,
  appId: string,
  ids: readonly string[],
  now: Date,
): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(`${again('d.id::text = any ($3)')} returning d.id`, [
    appId,
    now,
    ids,
  ])
  return rows.map(({ id }) => id)
}

/** Sends again everything since a moment that did not arrive. Answers with how many. */
export async function recoverSince(pool: pg.Pool, appId: string, since: Date, now: Date): Promise<number> {
  return inTransaction(pool, async (client) => {
    await client.query(mayRunLong)
    const { rowCount } = await client.query(again(`d.state in ('terminal', 'retrying') and d.created_at >= $3`), [
      appId,
      now,
      since,
    ])
    return rowCount ?? 0
  })
}

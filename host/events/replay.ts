import type pg from 'pg'
import { atOwnSchools } from './deliveries.ts'

/**
 * Due again at `$2` are those of the app `$1` of which `which` holds. A delivery under way is left alone, and never waited
 * for; so is one whose scope the school took back, or whose installation ended.
 */
export const again = (which: string) => `with held as (
    select d.tenant_id, d.id from core.deliveries d
    join core.installations i on i.tenant_id = d.tenant_id and i.id = d.installation_id and i.status = 'active'
    where d.app_id = $1 and d.state <> 'delivering' and ${which}
      and (core.scope_of_event(d.event) is null or core.scope_of_event(d.event) = any (i.granted_scopes))
    for no key update of d skip locked
  )
  update core.deliveries d set state = 'pending', due_at = $2, lease = null, leased_until = null, attempt_count = 0,
    replay_count = d.replay_count + 1, finished_at = null
  from held where d.tenant_id = held.tenant_id and d.id = held.id`

const byIds = again(`${atOwnSchools} and d.id = any ($3::uuid[])`)

/** Sends past deliveries of an app again, by their UUIDs, with six new attempts. Answers with the ids that are due. */
export async function replayDeliveries(
  pool: pg.Pool,
  appId: string,
  ids: readonly string[],
  now: Date,
): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(`${byIds} returning d.id`, [appId, now, ids])
  return rows.map(({ id }) => id)
}

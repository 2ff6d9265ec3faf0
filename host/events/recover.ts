import type pg from 'pg'
import { ServiceError } from '../../partner-services/service/errors.ts'
import { again } from './replay.ts'

/** Deliveries looked at in one transaction: of millions nobody waits for all. */
const batch = 10_000

/** The database's clock counts, as hosts share one. A batch takes a second. */
const held = `clock_timestamp() + interval '1 minute'`

const begin = `insert into core.recoveries as r (app_id, held_until) values ($1, ${held})
  on conflict (app_id) do update set held_until = excluded.held_until where r.held_until < clock_timestamp()`

const next = `with renewed as (update core.recoveries set held_until = ${held} where app_id = $1)
  select max(position) as last from (
    select position from core.deliveries where app_id = $1 and position > $2 order by position limit ${batch}) looked`

const sendAgain = again(
  `d.position > $3 and d.position <= $4 and d.state in ('terminal', 'retrying') and d.created_at >= $5`,
)

/**
 * Sends again everything since a moment that did not arrive, each delivery once. Answers with how many. `inTurn` runs each
 * step when sessions are to spare. Throws `invalid_state` where it goes on for this app already.
 */
export async function recoverSince(
  pool: pg.Pool,
  appId: string,
  { since, now }: { since: Date; now: Date },
  inTurn: <Result>(step: () => Promise<Result>) => Promise<Result>,
): Promise<number> {
  const { rowCount: isFree } = await pool.query(begin, [appId])
  if (!isFree) throw new ServiceError('invalid_state')
  try {
    let recovered = 0
    for (let position = '0'; ; ) {
      const step = await inTurn(() => recoverAfter(pool, appId, { position, since, now }))
      if (!step) return recovered
      recovered += step.recovered
      position = step.last
    }
  } finally {
    await pool.query('delete from core.recoveries where app_id = $1', [appId]).catch(() => {})
  }
}

/** The next ones after a position; null where there are none. What a step wrote stays, whatever becomes of the next. */
async function recoverAfter(
  pool: pg.Pool,
  appId: string,
  { position, since, now }: { position: string; since: Date; now: Date },
): Promise<{ last: string; recovered: number } | null> {
  const { rows } = await pool.query<{ last: string | null }>(next, [appId, position])
  const { last } = rows[0]!
  if (last === null) return null
  const { rowCount } = await pool.query(sendAgain, [appId, now, position, last, since])
  return { last, recovered: rowCount ?? 0 }
}

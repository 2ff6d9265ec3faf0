import type pg from 'pg'

/** How long attempts are kept, in milliseconds. Source: issue "Events", delivery. */
const keptFor = 30 * 86_400_000
const batch = 10_000

/** Removes attempts older than 30 days, some at a time so that nobody waits. */
export async function purgeAttempts(pool: pg.Pool, now: Date): Promise<number> {
  const before = new Date(now.getTime() - keptFor)
  for (let removed = 0; ; ) {
    const { rowCount } = await pool.query(
      `delete from core.delivery_attempts where ctid = any (array(
        select ctid from core.delivery_attempts where at < $1 limit $2))`,
      [before, batch],
    )
    removed += rowCount ?? 0
    if ((rowCount ?? 0) < batch) return removed
  }
}

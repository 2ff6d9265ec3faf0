import type pg from 'pg'
import { minuteOf } from '../../partner-services/service/minute.ts'

/** What has ended in one table: rows of which `ended` holds, where `$1` is a moment or a minute before now. */
type Purge = {
  table: string
  ended: string
  before: (now: Date) => Date | number
  /** Rows of one transaction, where they are large. */
  batch?: number
}

const hour = 3_600_000
const day = 24 * hour

/** Rows of one transaction. */
const usualBatch = 10_000

/** Engines whose code caches of one bundle are kept: this release's, the one's before, and one more. */
const engines = 3

const ago = (milliseconds: number) => (now: Date) => new Date(now.getTime() - milliseconds)

const purges: Purge[] = [
  // A key stands for its request for 24 hours. Source: specification, limits.
  { table: 'idempotency_keys', ended: 'created_at <= $1', before: ago(day) },
  // An hour, not a minute: a host whose clock is behind may still count in a minute that is past here.
  { table: 'request_counts', ended: 'minute < $1', before: (now) => minuteOf(ago(hour)(now)) },
  { table: 'address_counts', ended: 'minute < $1', before: (now) => minuteOf(ago(hour)(now)) },
  { table: 'test_event_counts', ended: 'minute < $1', before: (now) => minuteOf(ago(hour)(now)) },
  // A web process that has not heard for so long forgets everybody.
  { table: 'epoch_changes', ended: 'at <= $1', before: ago(hour) },
  { table: 'sessions', ended: 'expires_at <= $1', before: ago(0) },
  { table: 'authorization_codes', ended: 'expires_at <= $1', before: ago(day) },
  // A day, so that who looks into a refusal still finds that the token had ended, and when.
  { table: 'installation_tokens', ended: 'least(expires_at, revoked_at) <= $1', before: ago(day) },
  // Source: issue "Events", delivery. The deliveries stay: any of them can be replayed.
  { table: 'delivery_attempts', ended: 'at <= $1', before: ago(30 * day) },
  // What modules wrote and what they cost is looked into within days. Source: README.md, what is kept.
  { table: 'module_log', ended: 'at <= $1', before: ago(30 * day) },
  { table: 'strikes', ended: 'at <= $1', before: ago(30 * day) },
  // Names and numbers of people who know no school of ours yet. Source: README.md, what is kept.
  { table: 'contact_submissions', ended: 'created_at <= $1', before: ago(90 * day), batch: 1_000 },
  // A quarter of an hour counts; what follows an attempt clears some away, and after the last one nothing does.
  { table: 'sign_in_attempts', ended: 'since <= $1', before: ago(day) },
  {
    table: 'code_caches',
    ended: `made_at <= $1 and ${engines} <= (select count(*) from core.code_caches newer
      where newer.bundle_hash = code_caches.bundle_hash and newer.made_at > code_caches.made_at)`,
    before: ago(day),
    batch: 100,
  },
  // Each save of `partner dev` leaves one that no version has any more.
  {
    table: 'app_bundles',
    ended: 'created_at <= $1 and not exists (select from core.app_versions v where v.bundle_hash = app_bundles.hash)',
    before: ago(day),
    batch: 100,
  },
]

/**
 * Removes what has ended, some rows at a time so that nobody waits. Answers with the rows removed by table; `failed` is told
 * of a table that could not be purged, which keeps no other from it.
 */
export async function purge(
  system: pg.Pool,
  now: Date,
  failed: (table: string, error: unknown) => void,
): Promise<Record<string, number>> {
  const removed: Record<string, number> = {}
  for (const one of purges) {
    try {
      removed[one.table] = await purgeOne(system, one, now)
    } catch (error) {
      failed(one.table, error)
    }
  }
  return removed
}

async function purgeOne(
  system: pg.Pool,
  { table, ended, before, batch = usualBatch }: Purge,
  now: Date,
): Promise<number> {
  // `skip locked`: two hosts share the work instead of waiting for each other, and nobody's request waits for either.
  const text = `delete from core.${table} where ctid = any (array(
    select ctid from core.${table} where ${ended} limit $2 for update skip locked)) and ${ended}`
  for (let removed = 0; ; ) {
    const { rowCount } = await system.query(text, [before(now), batch])
    removed += rowCount ?? 0
    if ((rowCount ?? 0) < batch) return removed
  }
}

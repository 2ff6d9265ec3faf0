import type pg from 'pg'

export type Endpoint = { failing_since: Date | null; paused_at: Date | null }

const day = 86_400_000

/** An endpoint that failed all this time is paused. Source: issue "Events", delivery. */
export const pauseAfter = 5 * day

/** After a longer time without an attempt nobody knows that it failed all along. A school's days off are shorter. */
export const longestSilence = 2 * day

/**
 * Notes that these apps' endpoints failed at `now`. Those failing since five days, without a long silence between, are
 * paused: answers with their slugs.
 */
export async function noteFailures(pool: pg.Pool, appIds: readonly string[], now: Date): Promise<string[]> {
  const before = (time: number) => new Date(now.getTime() - time)
  const { rows } = await pool.query<{ slug: string }>({
    name: 'endpoint-failures',
    text: `with failing as (
        insert into core.endpoints as e (app_id, failing_since, last_failed_at)
        select distinct app_id, $2::timestamptz, $2 from unnest($1::text[]) app_id
        on conflict (app_id) do update set last_failed_at = excluded.last_failed_at,
          failing_since = case when e.last_failed_at >= $4 then e.failing_since else excluded.failing_since end,
          paused_at = case when e.last_failed_at >= $4 and e.failing_since <= $3 then $2 end
        where e.paused_at is null
        returning app_id, paused_at
      ), paused as (
        select a.id, a.slug from failing join core.apps a on a.id = failing.app_id where failing.paused_at is not null
      ), noticed as (
        insert into core.partner_notices (app_id, kind, message_en, message_ar, created_at)
        select id, 'endpoint_paused',
          'The webhook address failed for five days. Deliveries wait until you resume them: ' || verb,
          'تعذر الوصول إلى عنوان الويب هوك خمسة أيام. عمليات التسليم متوقفة حتى تستأنفها: ' || verb, $2
        from paused cross join lateral (select 'partner webhook resume --app ' || slug) resuming(verb)
      )
      select slug from paused`,
    values: [appIds, now, before(pauseAfter), before(longestSilence)],
  })
  return rows.map(({ slug }) => slug)
}

/** Sends to the app again: everything that waited is due. */
export async function resumeEndpoint(pool: pg.Pool, appId: string): Promise<void> {
  await pool.query('delete from core.endpoints where app_id = $1', [appId])
}

/** How an app's endpoint does: since when it fails, and since when nothing is sent to it; null where neither. */
export async function endpointOf(pool: pg.Pool, appId: string): Promise<Endpoint> {
  const { rows } = await pool.query<Endpoint>('select failing_since, paused_at from core.endpoints where app_id = $1', [
    appId,
  ])
  return rows[0] ?? { failing_since: null, paused_at: null }
}

/** For an answer about what is to be sent: where the endpoint is paused it waits. */
export async function pauseOf(pool: pg.Pool, appId: string): Promise<Pick<Endpoint, 'paused_at'>> {
  const { paused_at } = await endpointOf(pool, appId)
  return { paused_at }
}

import type pg from 'pg'
import type { EventDefinition } from '../../partner-services/description/events.ts'
import { type Components, exampleOf, toSchema } from '../../partner-services/description/json-schema.ts'
import { ServiceError } from '../../partner-services/service/errors.ts'
import { minuteOf, secondsLeft } from '../../partner-services/service/minute.ts'
import type { Cipher } from '../../partner-services/service/ports.ts'
import { textOf } from '../../partner-services/service/sql.ts'
import { eventForInstallation } from './event-writer.ts'

/** Each stays until erasure. Every event can be tried at once, again and again by hand. */
const perMinute = 30

// Exact over all processes. A host whose clock is behind counts in the later minute.
const count = `insert into core.test_event_counts as c (app_id, minute, used) values ($1, $2, 1)
  on conflict (app_id) do update set minute = greatest(c.minute, excluded.minute),
    used = case when c.minute >= excluded.minute then c.used + 1 else 1 end
  returning used`

/**
 * Sends an app an event with invented data, in a sandbox school only: a mirror of a live school must never hold an
 * invented child. Answers with the delivery's id. Throws `invalid_state` where no sandbox school has the app, and
 * `rate_limited` where the app was sent too many in this minute.
 */
export async function sendTestEvent(
  pool: pg.Pool,
  cipher: Cipher,
  now: Date,
  request: { appId: string; event: EventDefinition },
): Promise<string> {
  const { rows } = await pool.query<{ tenant_id: string; id: string }>(
    `select i.tenant_id, i.id from core.installations i join core.tenants t on t.id = i.tenant_id
      where i.app_id = $1 and i.status = 'active' and t.sandbox and ($2::text is null or $2 = any (i.granted_scopes))
      order by i.installed_at limit 1`,
    [request.appId, request.event.scope],
  )
  const installation = rows[0]
  if (!installation) throw new ServiceError('invalid_state')
  const counted = await pool.query<{ used: number }>(count, [request.appId, minuteOf(now)])
  if (counted.rows[0]!.used > perMinute) throw new ServiceError('rate_limited', { retryAfter: secondsLeft(now) })
  const components: Components = {}
  const data = exampleOf(toSchema(request.event.data, components), components) as Record<string, unknown>
  const statement = eventForInstallation(
    cipher,
    now,
    { tenantId: installation.tenant_id, installationId: installation.id },
    { name: request.event.name, data },
  )
  const written = await pool.query<{ id: string }>(textOf(statement), [...statement.values])
  const id = written.rows[0]?.id
  if (!id) throw new ServiceError('invalid_state')
  return id
}

import { Temporal } from 'temporal-polyfill'
import { z } from 'zod'
import { defineOperation } from '../service/operation.ts'
import { sql } from '../service/sql.ts'

/** The tenant's clock: the school's own zone, else its country's single one, else the platform's. Needs no scope. */
export const tenantClock = defineOperation({
  name: 'tenant.clock',
  scope: null,
  summary: "Read the tenant's clock",
  http: { method: 'GET', path: '/tenant/clock' },
  input: z.object({}),
  output: z.object({ timezone: z.string(), offset: z.string(), now: z.iso.datetime({ offset: true }) }),
  touched: () => [],
  async handler({ db, caller, ports }) {
    const row = await db.row<{ timezone: string | null }>(
      sql`select coalesce(t.timezone, c.timezone) as timezone from core.tenants t
        left join core.countries c on c.code = t.country_code where t.id = ${caller.tenant.id}`,
    )
    const timezone = row?.timezone ?? ports.platformTimeZone
    const now = Temporal.Instant.fromEpochMilliseconds(ports.clock().getTime()).toZonedDateTimeISO(timezone)
    return { timezone, offset: now.offset, now: now.toString({ timeZoneName: 'never', fractionalSecondDigits: 3 }) }
  },
})

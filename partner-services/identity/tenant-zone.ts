import { Temporal } from 'temporal-polyfill'
import type { Ports, TenantDatabase } from '../service/ports.ts'
import { sql } from '../service/sql.ts'

type Whose = { tenant: { id: string } }
type Clock = Pick<Ports, 'clock' | 'platformTimeZone'>

/** This moment on the tenant's clock: the school's own zone, else its country's single one, else the platform's. */
export async function tenantNow(db: TenantDatabase, whose: Whose, ports: Clock): Promise<Temporal.ZonedDateTime> {
  const row = await db.row<{ timezone: string | null }>(
    sql`select coalesce(t.timezone, c.timezone) as timezone from core.tenants t
      left join core.countries c on c.code = t.country_code where t.id = ${whose.tenant.id}`,
  )
  const moment = Temporal.Instant.fromEpochMilliseconds(ports.clock().getTime())
  return moment.toZonedDateTimeISO(row?.timezone ?? ports.platformTimeZone)
}

/** The tenant's day, YYYY-MM-DD. */
export async function tenantToday(db: TenantDatabase, whose: Whose, ports: Clock): Promise<string> {
  return (await tenantNow(db, whose, ports)).toPlainDate().toString()
}

import type { Cipher, TenantDatabase } from '../../partner-services/service/ports.ts'
import { type Sql, sql } from '../../partner-services/service/sql.ts'
import { sealEventData } from './event-data.ts'
import { receiversOf } from './receivers.ts'
import { uuid7 } from './uuid7.ts'

/** Whether anybody at the school is to be told of an event. */
export async function hasSubscribers(db: TenantDatabase, tenantId: string, name: string): Promise<boolean> {
  return (await db.row(sql`${receiversOf(tenantId, name)} limit 1`)) !== null
}

/** Events of one name about many records, each with its `data`, in their order. */
export type ManyEvents = {
  tenantId: string
  name: string
  changes: readonly { recordId: string; data: Record<string, unknown> }[]
}

/** The statement for one tenant's subscribers, as for one event. Runs as the core role inside that tenant. */
export function eventsForSubscribers(cipher: Cipher, now: Date, { tenantId, name, changes }: ManyEvents): Sql {
  const ids = changes.map(() => uuid7(now))
  const recordIds = changes.map(({ recordId }) => recordId)
  const sealed = changes.map(({ data }, index) => sealEventData(cipher, tenantId, ids[index]!, data))
  return sql`with receivers as materialized (${receiversOf(tenantId, name)}), changes as materialized (
      select * from unnest(${ids}::uuid[], ${recordIds}::text[], ${sealed}::bytea[]) with ordinality
        as c(id, record_id, data, place) where exists (select from receivers)
    ), written as (
      insert into core.events (tenant_id, id, name, record_id, created_at, data_encrypted)
      select ${tenantId}, id, ${name}, record_id, ${now}::timestamptz, data from changes
    )
    insert into core.deliveries (tenant_id, installation_id, app_id, event_id, event, record_id, due_at, created_at)
    select ${tenantId}, r.id, r.app_id, c.id, ${name}, c.record_id, ${now}::timestamptz, ${now}::timestamptz
    from changes c cross join receivers r order by c.place`
}

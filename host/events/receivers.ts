import { scopeOfEvent } from '../../partner-services/service/event-names.ts'
import { type Sql, sql } from '../../partner-services/service/sql.ts'

/** The installations of a school, with their apps, that subscribed to an event and may read its resource. */
export function receiversOf(tenantId: string, event: string): Sql {
  const scope = scopeOfEvent(event)
  return sql`select i.id, i.app_id from core.installations i join core.apps a on a.id = i.app_id
    where i.tenant_id = ${tenantId} and i.status = 'active' and a.webhook_url is not null
      and a.webhook_events @> array[${event}::text]
      and (${scope}::text is null or ${scope}::text = any (i.granted_scopes))`
}

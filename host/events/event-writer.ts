import type { Caller } from '../../partner-services/service/caller.ts'
import type { Cipher, DomainEvent } from '../../partner-services/service/ports.ts'
import { type Sql, sql } from '../../partner-services/service/sql.ts'
import { sealEventData } from './event-data.ts'
import { tokenRotated } from '../../partner-services/service/event-names.ts'
import { receiversOf } from './receivers.ts'
import { uuid7 } from './uuid7.ts'

export type EventWriterOptions = {
  cipher: Cipher
  clock: () => Date
  /** Told of every event, so that a worker need not wait for its next look. */
  wake?: () => void
}

/**
 * What a change writes besides itself: the event and one delivery for each installation that subscribed and may read
 * the resource. One statement, sent with the commit; where nobody subscribed it writes nothing. A rotation concerns the
 * caller's own installation alone.
 */
export function createEventWriter({ cipher, clock, wake }: EventWriterOptions) {
  return ({ tenant, installation }: Pick<Caller, 'tenant' | 'installation'>, event: DomainEvent): Sql[] => {
    wake?.()
    if (event.name === tokenRotated) {
      const receiver = { tenantId: tenant.id, installationId: installation.id }
      return [eventForInstallation(cipher, clock(), receiver, event)]
    }
    return [eventForSubscribers(cipher, clock(), tenant.id, event)]
  }
}

/** The statement for one tenant's subscribers. Runs as the core role inside that tenant, or as the system role. */
export function eventForSubscribers(cipher: Cipher, now: Date, tenantId: string, event: DomainEvent): Sql {
  const id = uuid7(now)
  const data = sealEventData(cipher, tenantId, id, event.data)
  return sql`with receivers as materialized (${receiversOf(tenantId, event.name)}
    ), written as (
      insert into core.events (tenant_id, id, name, record_id, created_at, data_encrypted)
      select ${tenantId}, ${id}::uuid, ${event.name}, ${event.recordId}::text, ${now}::timestamptz, ${data}::bytea
      where exists (select from receivers)
    )
    insert into core.deliveries (tenant_id, installation_id, app_id, event_id, event, record_id, due_at, created_at)
    select ${tenantId}, r.id, r.app_id, ${id}::uuid, ${event.name}, ${event.recordId}::text, ${now}::timestamptz, ${now}::timestamptz
    from receivers r`
}

/**
 * An event for one installation, whether it subscribed or not: a rotated token must arrive. Answers with the delivery's id.
 * Nothing is written for an app without a webhook URL.
 */
export function eventForInstallation(
  cipher: Cipher,
  now: Date,
  installation: { tenantId: string; installationId: string },
  event: { name: string; recordId?: string; data: Record<string, unknown> },
): Sql {
  const { tenantId, installationId } = installation
  const [id, recordId] = [uuid7(now), event.recordId ?? null]
  const data = sealEventData(cipher, tenantId, id, event.data)
  return sql`with receiver as materialized (
      select i.id, i.app_id from core.installations i join core.apps a on a.id = i.app_id
      where i.tenant_id = ${tenantId} and i.id = ${installationId} and i.status = 'active' and a.webhook_url is not null
    ), written as (
      insert into core.events (tenant_id, id, name, record_id, created_at, data_encrypted)
      select ${tenantId}, ${id}::uuid, ${event.name}, ${recordId}::text, ${now}::timestamptz, ${data}::bytea where exists (select from receiver)
    )
    insert into core.deliveries (tenant_id, installation_id, app_id, event_id, event, record_id, due_at, created_at)
    select ${tenantId}, r.id, r.app_id, ${id}::uuid, ${event.name}, ${recordId}::text, ${now}::timestamptz, ${now}::timestamptz
    from receiver r returning id`
}

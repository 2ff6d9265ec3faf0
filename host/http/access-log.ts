import type pg from 'pg'
import { createBulkWriter } from '../database/bulk-writer.ts'
import type { Ports } from '../../partner-services/service/ports.ts'

type Entry = {
  tenantId: string
  at: Date
  app: string
  installationId: string
  viewerId: string | null
  operation: string
  recordIds: string[]
}

/** Entries are written at most this long after the access, in milliseconds, and in one statement. */
const flushAfter = 200
const largestBatch = 2_000

/** Who read what: one row for each access, written in bulk by the system role, late where the database is away. */
export function createAccessLog(systemPool: pg.Pool, clock: () => Date, onError: (error: unknown) => void) {
  const { put, flush } = createBulkWriter<Entry>({ write, withinMs: flushAfter, largestBatch, onError })

  async function write(batch: readonly Entry[]): Promise<void> {
    await systemPool.query({
      name: 'access-log',
      text: `insert into core.access_log (tenant_id, at, app, installation_id, viewer_id, operation, record_ids)
        select tenant_id, at, app, installation_id, viewer_id, operation, string_to_array(record_ids, ' ')
        from unnest($1::text[], $2::timestamptz[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
          as entry (tenant_id, at, app, installation_id, viewer_id, operation, record_ids)`,
      values: [
        arrayText(batch, (entry) => entry.tenantId),
        arrayText(batch, (entry) => entry.at.toISOString()),
        arrayText(batch, (entry) => entry.app),
        arrayText(batch, (entry) => entry.installationId),
        arrayText(batch, (entry) => entry.viewerId),
        arrayText(batch, (entry) => entry.operation),
        arrayText(batch, (entry) => entry.recordIds.join(' ')),
      ],
    })
  }

  const record: Ports['recordAccess'] = (caller, operation, recordIds) =>
    put({
      tenantId: caller.tenant.id,
      at: clock(),
      app: caller.app.slug,
      installationId: caller.installation.id,
      viewerId: caller.viewer?.id ?? null,
      operation,
      recordIds,
    })
  return { record, flush }
}

/**
 * A PostgreSQL array in its text form, which the driver would make at three times the cost. All that stands in an entry is
 * ULIDs, slugs and names of operations; what else it might be is escaped.
 */
function arrayText(batch: readonly Entry[], of: (entry: Entry) => string | null): string {
  const element = (entry: Entry) => {
    const text = of(entry)
    return text === null ? 'NULL' : `"${/["\\]/.test(text) ? text.replace(/["\\]/g, '\\$&') : text}"`
  }
  return `{${batch.map(element).join(',')}}`
}

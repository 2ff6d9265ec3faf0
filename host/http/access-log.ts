import type pg from 'pg'
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

/** Who read what: one row for each access, written in bulk by the system role. */
export function createAccessLog(systemPool: pg.Pool, clock: () => Date, onError: (error: unknown) => void) {
  let waiting: Entry[] = []
  let timer: NodeJS.Timeout | null = null

  async function flush(): Promise<void> {
    if (timer) clearTimeout(timer)
    timer = null
    const batch = waiting
    waiting = []
    if (batch.length === 0) return
    const column = (of: (entry: Entry) => unknown) => batch.map(of)
    await systemPool
      .query({
        name: 'access-log',
        text: `insert into core.access_log (tenant_id, at, app, installation_id, viewer_id, operation, record_ids)
          select tenant_id, at, app, installation_id, viewer_id, operation, record_ids::text[]
          from unnest($1::text[], $2::timestamptz[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
            as entry (tenant_id, at, app, installation_id, viewer_id, operation, record_ids)`,
        values: [
          column((entry) => entry.tenantId),
          column((entry) => entry.at),
          column((entry) => entry.app),
          column((entry) => entry.installationId),
          column((entry) => entry.viewerId),
          column((entry) => entry.operation),
          // Ids are ULIDs: no character of them has a meaning in an array's text.
          column((entry) => `{${entry.recordIds.join(',')}}`),
        ],
      })
      .catch(onError)
  }

  const record: Ports['recordAccess'] = (caller, operation, recordIds) => {
    waiting.push({
      tenantId: caller.tenant.id,
      at: clock(),
      app: caller.app.slug,
      installationId: caller.installation.id,
      viewerId: caller.viewer?.id ?? null,
      operation,
      recordIds,
    })
    if (waiting.length >= largestBatch) void flush()
    else timer ??= setTimeout(flush, flushAfter)
  }
  return { record, flush }
}

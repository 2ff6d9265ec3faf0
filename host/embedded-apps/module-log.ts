import type pg from 'pg'
import { createBulkWriter } from '../database/bulk-writer.ts'
import { toldText } from '../database/told-text.ts'
import type { InstalledModule } from './installed-modules.ts'

export type ModuleLog = {
  open(module: InstalledModule, invocationId: string): { write(level: string, message: string | Promise<string>): void }
  /** Writes what is waiting; resolves when every line until now is written. */
  flush(): Promise<void>
}

type Line = {
  tenant_id: string
  invocation_id: string
  position: number
  at: Date
  app: string
  level: string
  message: string | Promise<string>
}

/** In milliseconds. */
const flushAfter = 100
const largestBatch = 2_000

/** What modules write, by invocation. Lines are written in bulk, shortly after the call. */
export function createModuleLog(system: pg.Pool, clock: () => Date, onError: (error: unknown) => void): ModuleLog {
  const { put, flush } = createBulkWriter<Line>({ write, withinMs: flushAfter, largestBatch, onError })

  async function write(batch: readonly Line[]): Promise<void> {
    const lines = await Promise.all(batch.map(async (line) => ({ ...line, message: toldText(await line.message) })))
    await system.query(
      `insert into core.module_log select * from json_populate_recordset(null::core.module_log, $1) on conflict do nothing`,
      [JSON.stringify(lines)],
    )
  }

  return {
    open(module, invocationId) {
      let position = 0
      return {
        write(level, message) {
          put({
            tenant_id: module.tenant.id,
            invocation_id: invocationId,
            position: position++,
            at: clock(),
            app: module.slug,
            level,
            message,
          })
        },
      }
    },
    flush,
  }
}

import type pg from 'pg'

/** What one module's schema may hold, all tenants together, in bytes; above it nothing more can be written. */
export const schemaQuota = 2 * 1_024 ** 3

export type SchemaSizes = {
  /** True when the schema held more than its quota at the last look. */
  isOver(schema: string): boolean
  stop(): void
}

/**
 * Bytes of each module's schema, tables with their indexes and large values, without room known to be free. `core` is a
 * session of the host's role.
 */
export async function schemaSizes(core: Pick<pg.ClientBase, 'query'>): Promise<Map<string, number>> {
  const { rows } = await core.query<{ schema: string; bytes: string }>(
    'select schema, bytes from module_host.schema_sizes()',
  )
  return new Map(rows.map(({ schema, bytes }) => [schema, Number(bytes)]))
}

/** One schema against its quota, now. */
export async function checkSchemaSize(
  core: Pick<pg.ClientBase, 'query'>,
  schema: string,
  quotaBytes: number,
): Promise<{ bytes: number; over: boolean }> {
  const bytes = (await schemaSizes(core)).get(schema) ?? 0
  return { bytes, over: bytes > quotaBytes }
}

/** Looks at all schemas with one query every `everyMs` (default 5 s), so that no statement pays for it. */
export async function watchSchemaSizes(
  core: Pick<pg.ClientBase, 'query'>,
  options: { quotaBytes: number; everyMs?: number },
): Promise<SchemaSizes> {
  let sizes = new Map<string, number>()
  let looking = false
  async function look(): Promise<void> {
    if (looking) return
    looking = true
    try {
      sizes = await schemaSizes(core)
    } catch {
      // The last sizes, none at first, hold until the database answers again; without it no statement runs either.
    } finally {
      looking = false
    }
  }
  await look()
  const timer = setInterval(look, options.everyMs ?? 5_000)
  timer.unref()
  return { isOver: (schema) => (sizes.get(schema) ?? 0) > options.quotaBytes, stop: () => clearInterval(timer) }
}

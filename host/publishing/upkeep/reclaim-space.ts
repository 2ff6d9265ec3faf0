import pg from 'pg'
import type { Logger } from 'pino'
import type { PublisherContext } from '../publisher-context.ts'

const everyMinute = 60_000

export type ReclaimContext = Pick<PublisherContext, 'provisioning' | 'credential'> & {
  logger: Pick<Logger, 'info' | 'warn'>
}

/**
 * Every minute, of modules whose files are over `quotaBytes`: makes the place of deleted rows free and notes how much there
 * is, so that who deleted rows can write again. Their files stay as they are: what is written next goes into them. Any
 * number of hosts may do so.
 */
export function scheduleReclaiming(
  context: ReclaimContext,
  quotaBytes: number,
): { idle(): Promise<void>; stop(): Promise<void> } {
  const { provisioning, credential, logger } = context
  let backend: number | undefined
  let stopped = false
  let running = look()
  const timer = setInterval(() => {
    running = running.then(look)
  }, everyMinute)

  async function look(): Promise<void> {
    try {
      const over = await schemasOver(provisioning, quotaBytes)
      if (over.length > 0) await withSession((client) => reclaimAll(client, over))
      await forgetOthers(provisioning, over)
    } catch (error) {
      if (!stopped) logger.warn({ err: error }, 'room of deleted rows is looked for again in a minute')
    }
  }

  async function reclaimAll(client: pg.Client, schemas: readonly string[]): Promise<void> {
    for (const schema of schemas) {
      if (stopped) return
      const vacuumed = await vacuumTables(client, schema)
      const freeBytes = await noteFreeSpace(client, schema)
      if (vacuumed > 0) logger.info({ schema, freeBytes }, 'a module over its size got back the room of deleted rows')
    }
  }

  /** One of its own: VACUUM may take long, and is cancelled where the host stops. */
  async function withSession(work: (client: pg.Client) => Promise<void>): Promise<void> {
    const client = new pg.Client(credential)
    client.on('error', () => {})
    await client.connect()
    try {
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
      backend = rows[0]!.pid
      // Other work goes before it.
      await client.query(`set vacuum_cost_delay = '2ms'`)
      await work(client)
    } finally {
      backend = undefined
      await client.end()
    }
  }

  return {
    idle: () => running,
    async stop() {
      stopped = true
      clearInterval(timer)
      if (backend !== undefined) await provisioning.query('select pg_cancel_backend($1)', [backend])
      await running
    },
  }
}

async function schemasOver(provisioning: pg.Pool, quotaBytes: number): Promise<string[]> {
  const { rows } = await provisioning.query<{ schema: string }>(
    `select m.schema from module_host.modules m
      join pg_namespace n on n.nspname = m.schema
      join pg_class c on c.relnamespace = n.oid and c.relkind in ('r', 'S')
      group by m.schema having sum(pg_total_relation_size(c.oid)) > $1`,
    [quotaBytes],
  )
  return rows.map(({ schema }) => schema)
}

/** Those with deleted rows that nobody cleared away yet, as far as the server counted. Answers how many there were. */
async function vacuumTables(client: pg.Client, schema: string): Promise<number> {
  const { rows } = await client.query<{ name: string }>(
    `select format('%I.%I', s.schemaname, s.relname) as name from pg_stat_all_tables s
      where s.schemaname = $1 and (s.n_dead_tup > 0 or coalesce(s.last_vacuum, s.last_autovacuum) is null)`,
    [schema],
  )
  for (const { name } of rows) await client.query(`vacuum (skip_locked) ${name}`)
  return rows.length
}

async function noteFreeSpace(client: pg.Client, schema: string): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>(
    `insert into module_host.free_space (schema, bytes) values ($1, module_host.free_bytes($1))
      on conflict (schema) do update set bytes = excluded.bytes returning bytes`,
    [schema],
  )
  return Number(rows[0]!.bytes)
}

async function forgetOthers(provisioning: pg.Pool, schemas: readonly string[]): Promise<void> {
  await provisioning.query('delete from module_host.free_space where schema <> all ($1)', [schemas])
}

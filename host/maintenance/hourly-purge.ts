import pg from 'pg'
import type { Logger } from 'pino'
import { purge } from './purge.ts'

const every = 3_600_000

/** Purges at once and then every hour, until it is stopped. Any number of hosts may do so. */
export function startHourlyPurge(options: { connection: pg.ClientConfig; logger: Logger; clock?: () => Date }): {
  /** The end of the purge that runs, or of the last one. */
  idle(): Promise<void>
  stop(): Promise<void>
} {
  const { connection, logger, clock = () => new Date() } = options
  const pool = new pg.Pool({ ...connection, max: 1 })
  pool.on('error', () => {})
  const once = async () => {
    const removed = await purge(pool, clock(), (table, error) =>
      logger.warn({ err: error, table }, 'purge waits for its next hour'),
    )
    logger.debug({ removed }, 'purged')
  }
  let running = once()
  const timer = setInterval(() => {
    running = running.then(once)
  }, every)
  return {
    idle: () => running,
    async stop() {
      clearInterval(timer)
      await running
      await pool.end()
    },
  }
}

import pg from 'pg'

/**
 * A pool that outlives its server: a connection that the server closed, idle or lent out, fails the statement that waits
 * for it, never the process.
 */
export function openPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(config)
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

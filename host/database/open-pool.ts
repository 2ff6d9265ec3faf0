import pg from 'pg'
import { AnsweringClient, type AnsweringConfig } from './answering-client.ts'

/**
 * A pool that outlives its server: a connection that the server closed, idle or lent out, or on which it fell silent, fails
 * the statement that waits for it, never the process.
 */
export function openPool(config: AnsweringConfig): pg.Pool {
  const pool = new pg.Pool({ ...config, Client: AnsweringClient as never })
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  pool.on('release', (_error, client) => (client as unknown as AnsweringClient).givenBack())
  return pool
}

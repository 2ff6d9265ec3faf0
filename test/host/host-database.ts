import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'

/** The embedded database of a running host, as its superuser: for what no door of the host offers. */
export function openHostDatabase(dataDirectory: string): pg.Pool {
  const key = createHash('sha256').update(dataDirectory).digest('hex').slice(0, 8)
  const pool = new pg.Pool({
    host: join(tmpdir(), `partner-db-${key}`),
    user: 'postgres',
    password: readFileSync(join(dataDirectory, 'database-password'), 'utf8'),
    database: 'partner',
    max: 1,
  })
  pool.on('error', () => {})
  return pool
}

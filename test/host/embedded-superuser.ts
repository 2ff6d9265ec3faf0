import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type pg from 'pg'

/** The superuser of a started host's own database: for damage that no door offers. Not on Windows, which has no socket. */
export function embeddedSuperuser(dataDirectory: string): pg.ClientConfig {
  const key = createHash('sha256').update(resolve(dataDirectory)).digest('hex').slice(0, 8)
  return {
    host: join(tmpdir(), `partner-db-${key}`),
    port: 5432,
    user: 'postgres',
    password: readFileSync(join(dataDirectory, 'database-password'), 'utf8').trim(),
    database: 'partner',
  }
}

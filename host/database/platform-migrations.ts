import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type pg from 'pg'
import type { CoreRoles } from './roles.ts'

const folder = new URL('./migrations/', import.meta.url)

/**
 * The platform's own migrations: numbered, titled, forward-only. A changed file that ran already is refused, and so is a
 * database in which one ran that is not here: this release would serve it, and put its own walls in place of newer ones.
 * The caller lets nobody else prepare the database meanwhile.
 */
export async function runPlatformMigrations(client: pg.Client, roles: CoreRoles): Promise<string[]> {
  await client.query(`create schema if not exists platform;
      create table if not exists platform.migrations (name text primary key, checksum text not null, applied_at timestamptz not null default now())`)
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from platform.migrations',
  )
  const applied = new Map(rows.map((row) => [row.name, row.checksum]))
  const files = readdirSync(folder)
    .filter((file) => /^\d{4}_[a-z_]+\.sql$/.test(file))
    .sort()
  const newer = rows.find(({ name }) => !files.includes(name))
  if (newer)
    throw new Error(`the database is one of a newer release (${newer.name} ran in it): start that one, or a later`)
  const ran: string[] = []
  for (const name of files) {
    const text = readFileSync(new URL(name, folder), 'utf8')
    const checksum = createHash('sha256').update(text).digest('hex')
    if (applied.has(name)) {
      if (applied.get(name) !== checksum) throw new Error(`platform migration ${name} was changed after it ran`)
      continue
    }
    await runOne(client, name, checksum, withRoles(text, roles))
    ran.push(name)
  }
  return ran
}

const withRoles = (text: string, roles: CoreRoles) =>
  text.replaceAll('{{core_role}}', roles.core).replaceAll('{{system_role}}', roles.system)

async function runOne(client: pg.Client, name: string, checksum: string, text: string): Promise<void> {
  await client.query('begin')
  try {
    await client.query(text)
    await client.query('insert into platform.migrations (name, checksum) values ($1, $2)', [name, checksum])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

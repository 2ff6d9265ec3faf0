import { rm } from 'node:fs/promises'
import pg from 'pg'
import { startEmbeddedDatabase } from '../../host/database/embedded.ts'
import { readyDataFolder } from '../support/ready-folder.ts'

export type TestDatabase = {
  /** As the superuser. */
  readonly client: pg.Client
  /** A further connection, as a role made with `createRole`. */
  connectAs(role: string): Promise<pg.Client>
  close(): Promise<void>
}

const password = 'test-only'

/** A cluster of its own with the tenant gate's function: `set test.tenant = '…'` says whose rows are meant. */
export async function startTestDatabase(roles: readonly string[]): Promise<TestDatabase> {
  const directory = readyDataFolder('policy-database-')
  const database = await startEmbeddedDatabase(directory, { fast: true })
  const maker = new pg.Client(database.superuser)
  await maker.connect()
  await maker.query('create database policy strategy file_copy')
  await maker.end()
  // Modules' roles are not let into the server's own database.
  const connection = { ...database.superuser, database: 'policy' }
  const client = new pg.Client(connection)
  const clients = [client]
  await client.connect()
  await client.query(`
    create schema gate;
    create function gate.tenant() returns text language sql stable
      as $$ select nullif(pg_catalog.current_setting('test.tenant', true), '') $$;
    grant usage on schema gate to public`)
  for (const role of roles) await client.query(`create role ${role} login password '${password}'`)
  return {
    client,
    async connectAs(role) {
      const other = new pg.Client({ ...connection, user: role, password })
      clients.push(other)
      await other.connect()
      return other
    },
    async close() {
      for (const each of clients) await each.end()
      await database.stop()
      await rm(directory, { recursive: true })
    },
  }
}

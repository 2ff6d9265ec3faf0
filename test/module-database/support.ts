import { createHmac, randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import pg from 'pg'
import { startEmbeddedDatabase } from '../../host/database/embedded.ts'
import {
  createModuleDatabase,
  type ModuleDatabase,
  type ModuleDatabaseOptions,
} from '../../host/module-database/module-database.ts'
import { prepareModuleDatabase } from '../../host/module-database/prepare.ts'
import { provisionModule, type RoleSecrets } from '../../host/module-database/provision.ts'
import { moduleRoleNames, type SchemaKind } from '../../host/module-database/role-names.ts'
import type { StatementGuard } from '../../host/module-database/statement-guard.ts'
import { readyDataFolder } from '../support/ready-folder.ts'

const key = randomBytes(32)
const derived = (label: string) => (role: string) =>
  createHmac('sha256', key).update(`${label}:${role}`).digest('base64url')

export const secrets: RoleSecrets = { passwordOf: derived('password'), gateSecretOf: derived('gate') }

/** Two schools. */
export const tenantA = '01J00000000000000000000000'
export const tenantB = '01J00000000000000000000001'

export type TestServer = {
  connection: pg.ClientConfig
  /** The superuser's credential for that database. */
  provisioning: pg.ClientConfig & { database: string }
  /** A connected superuser of the database with the platform's parts in place. */
  superuser: pg.Client
  database: string
  roles: { core: string }
  connect(role: string): Promise<pg.Client>
  stop(): Promise<void>
}

/** A server of its own for one test file, with one prepared database. */
export async function startTestServer(options: { durable?: boolean } = {}): Promise<TestServer> {
  const folder = readyDataFolder('partner-module-database-')
  const server = await startEmbeddedDatabase(folder, { fast: !options.durable })
  const database = 'partner'
  const admin = await connected(server.superuser)
  await admin.query(`create database ${database} strategy file_copy`)
  await admin.query(`create role test_core login nobypassrls password 'core'`)
  await admin.end()
  const superuser = await connected({ ...server.superuser, database })
  await superuser.query(`grant connect on database ${database} to test_core`)
  await prepareModuleDatabase(superuser, { database, suffix: '', coreRoles: ['test_core'] })
  const connection = { ...server.superuser, database, user: undefined, password: undefined }
  const open = new Set<pg.Client>()
  return {
    connection,
    provisioning: { ...server.superuser, database },
    superuser,
    database,
    roles: { core: 'test_core' },
    async connect(role) {
      const password = role === 'test_core' ? 'core' : secrets.passwordOf(role)
      const client = await connected({ ...connection, user: role, password })
      open.add(client)
      return client
    },
    async stop() {
      await Promise.all([...open, superuser].map((client) => client.end().catch(() => {})))
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export async function connected(config: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(config)
  client.on('error', () => {})
  await client.connect()
  return client
}

/** A module with a table `note` as the importer would make it, in its live and its sandbox schema. */
export async function provisionWithNotes(server: TestServer, slug: string): Promise<void> {
  await provisionModule(server.superuser, { slug, database: server.database, suffix: '', ...secrets })
  for (const kind of ['live', 'sandbox'] as const) await asOwner(server, slug, kind, noteTable)
}

export const noteTable = `
  create table note (id text not null, title text, body text, tenant_id text not null default gate.tenant(), primary key (tenant_id, id));
  alter table note enable row level security;
  alter table note force row level security;
  create policy tenant on note using (tenant_id = (select gate.tenant())) with check (tenant_id = (select gate.tenant()));`

/** Runs a script as the schema's owner, in one transaction. */
export async function asOwner(server: TestServer, slug: string, kind: SchemaKind, script: string): Promise<void> {
  const { owner } = moduleRoleNames(slug, { suffix: '', kind })
  await server.superuser.query(`alter role ${pg.escapeIdentifier(owner)} login`)
  const client = await server.connect(owner)
  try {
    await client.query(script)
  } finally {
    await client.end()
    await server.superuser.query(`alter role ${pg.escapeIdentifier(owner)} nologin`)
  }
}

/** Lets everything pass: what the other walls do when the guard misses. */
export const noGuard: StatementGuard = (text) => ({ text, kind: 'rows' })

/** A module database on the server; `guard` defaults to none. */
export function openDatabase(server: TestServer, options: Partial<ModuleDatabaseOptions> = {}): ModuleDatabase {
  return createModuleDatabase({ connection: server.connection, suffix: '', secrets, guard: noGuard, ...options })
}

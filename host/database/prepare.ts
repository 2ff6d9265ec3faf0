import pg from 'pg'
import { refuseForeign, rememberKey, takeOverRoles } from './made-by.ts'
import { runPlatformMigrations } from './platform-migrations.ts'
import { takeLongTurn } from './take-turns.ts'
import { type CoreRoles, coreRoles, rolePassword, roleSuffix } from './roles.ts'

/** Everything needed to connect as the host's two roles. Holds no provisioning credential. */
export type CoreConnection = {
  core: pg.ClientConfig
  system: pg.ClientConfig
  suffix: string
  database: string
}

const oldestServer = 170_000
const undefinedDatabase = '3D000'

/**
 * Makes the database, the two roles and the platform's tables, as far as they are missing.
 * `provisioning` is the superuser or CREATEROLE credential; it is not kept. Throws where the server is too old, or the
 * database was made under another name or with another key, or a newer release prepared it.
 */
export async function prepareDatabase(
  provisioning: pg.ClientConfig,
  options: { hostKey: Buffer; database: string; embedded: boolean },
): Promise<CoreConnection> {
  const suffix = roleSuffix(options.database, options.embedded)
  const roles = coreRoles(suffix)
  const credential = { ...provisioning, database: options.database }
  const as = (role: string) => ({
    ...provisioning,
    connectionString: undefined,
    user: role,
    password: rolePassword(options.hostKey, role),
    database: options.database,
  })
  const core = as(roles.core)
  const client = options.embedded ? await connectOrCreate(credential) : await connect(credential)
  try {
    await refuseUnfit(client)
    await takeLongTurn(client)
    await refuseForeign(client, { roles, core, ...options })
    await createRoles(client, roles, options.hostKey)
    await client.query(
      `grant connect on database ${pg.escapeIdentifier(options.database)} to ${roles.core}, ${roles.system}`,
    )
    await takeOverRoles(client, { roles, core, ...options })
    await runPlatformMigrations(client, roles)
    await rememberKey(client, options.hostKey)
  } finally {
    await client.end()
  }
  return { core, system: as(roles.system), suffix, database: options.database }
}

async function connect(credential: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(credential)
  await client.connect()
  return client
}

async function connectOrCreate(credential: pg.ClientConfig & { database: string }): Promise<pg.Client> {
  try {
    return await connect(credential)
  } catch (error) {
    if ((error as { code?: string }).code !== undefinedDatabase) throw error
  }
  const client = await connect({ ...credential, database: 'postgres' })
  try {
    await client.query(`create database ${pg.escapeIdentifier(credential.database)}`)
  } finally {
    await client.end()
  }
  return connect(credential)
}

async function refuseUnfit(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: string; encoding: string }>(
    `select current_setting('server_version_num') as version, current_setting('server_encoding') as encoding`,
  )
  const { version, encoding } = rows[0]!
  if (Number(version) < oldestServer) throw new Error('DATABASE_URL takes PostgreSQL 17 or newer')
  if (encoding !== 'UTF8') throw new Error(`DATABASE_URL takes a database in UTF8: this one is in ${encoding}`)
}

async function createRoles(client: pg.Client, roles: CoreRoles, hostKey: Buffer): Promise<void> {
  for (const role of [roles.core, roles.system]) {
    const { rowCount } = await client.query('select from pg_roles where rolname = $1', [role])
    if (rowCount) continue
    const password = pg.escapeLiteral(rolePassword(hostKey, role))
    await client.query(
      `create role ${role} login nosuperuser nocreatedb nocreaterole nobypassrls noinherit password ${password}`,
    )
  }
}

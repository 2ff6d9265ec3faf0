import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import pg from 'pg'
import { takeTurns } from '../database/take-turns.ts'
import { isSuperuser } from './is-superuser.ts'

export type PreparedModuleDatabase = {
  /** `parameter`: the tenant travels where only a superuser may write. `mac`: sealed, for a server without superuser. */
  gate: 'parameter' | 'mac'
  /** The walls that this server does not allow, to be said at start. Empty with a superuser. */
  missing: string[]
}

export type PrepareOptions = {
  database: string
  /** `''` for the embedded database, whose cluster is ours alone. */
  suffix: string
  /** The host's own roles: they keep the functions that are taken from PUBLIC. */
  coreRoles: string[]
}

const missingWithoutSuperuser = [
  'the superuser-only parameter of the tenant gate (a sealed value serves instead)',
  'the withdrawal of catalogs, languages and functions from PUBLIC (the guard alone refuses them)',
  'the event triggers that audit a migration (the whole-schema audit still runs)',
]

/**
 * Makes this database fit for modules: hardening, tenant gate, third wall, migration history. Idempotent; when nothing
 * changed since the last time, it is one query. Nothing outside this database changes, except in a cluster of our own.
 */
export async function prepareModuleDatabase(
  superuser: pg.ClientBase,
  options: PrepareOptions,
): Promise<PreparedModuleDatabase> {
  const privileged = await isSuperuser(superuser)
  const script = scriptFor(privileged, options)
  const version = createHash('sha256').update(script).digest('hex')
  if ((await installedVersion(superuser)) !== version) {
    await install(superuser, { script, version, gateOwner: gateOwner(options.suffix), privileged })
    if (privileged && options.suffix === '') await hardenCluster(superuser)
  }
  return { gate: privileged ? 'parameter' : 'mac', missing: privileged ? [] : missingWithoutSuperuser }
}

/** Takes CONNECT on every database of the cluster from PUBLIC, so that a module's role reaches its own only. */
async function hardenCluster(superuser: pg.ClientBase): Promise<void> {
  const { rows } = await superuser.query<{ name: string }>(
    `select datname as name from pg_database where datname <> 'template0'`,
  )
  for (const { name } of rows) await superuser.query(`revoke all on database ${pg.escapeIdentifier(name)} from public`)
}

async function installedVersion(client: pg.ClientBase): Promise<string | null> {
  const { rows } = await client.query<{ there: boolean }>(
    `select to_regclass('module_host.installed') is not null as there`,
  )
  if (!rows[0]?.there) return null
  const installed = await client.query<{ version: string }>('select version from module_host.installed')
  return installed.rows[0]?.version ?? null
}

async function install(
  client: pg.ClientBase,
  made: { script: string; version: string; gateOwner: string; privileged: boolean },
): Promise<void> {
  await client.query('begin')
  try {
    await takeTurns(client)
    // Another host may have done it meanwhile.
    if ((await installedVersion(client)) !== made.version) {
      await createGateOwner(client, made.gateOwner, made.privileged)
      await client.query(made.script)
      await client.query('delete from module_host.installed')
      await client.query('insert into module_host.installed (version) values ($1)', [made.version])
    }
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

async function createGateOwner(client: pg.ClientBase, role: string, privileged: boolean): Promise<void> {
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [role])
  if (!rowCount) await client.query(`create role ${role} nologin`)
  // A role that is no superuser must be a member to make things in another's name.
  if (!privileged) await client.query(`grant ${role} to current_user with inherit true, set true`)
}

const gateOwner = (suffix: string) => `partner_gate${suffix}`

function scriptFor(privileged: boolean, options: PrepareOptions): string {
  const parts = privileged
    ? ['hardening', 'registry', 'gate', 'gate-parameter', 'audit', 'third-wall', 'history', 'sizes', 'sessions']
    : ['registry', 'gate', 'gate-mac', 'audit', 'history', 'sizes', 'sessions']
  const script = parts.map(sqlFile).join('\n')
  const grantFiles = privileged ? ['core-access', 'core-grants'] : ['core-access']
  const grants = options.coreRoles.flatMap((role) =>
    grantFiles.map((name) => sqlFile(name).replaceAll('{{role}}', pg.escapeIdentifier(role))),
  )
  return [script, ...grants].join('\n').replaceAll('{{gate_owner}}', gateOwner(options.suffix))
}

const sqlFile = (name: string) => readFileSync(new URL(`./sql/${name}.sql`, import.meta.url), 'utf8')

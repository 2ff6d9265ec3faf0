import pg from 'pg'
import { takeTurns } from '../database/take-turns.ts'
import { isSuperuser } from './is-superuser.ts'
import { type ModuleRoles, moduleRoleNames, type SchemaKind } from './role-names.ts'

/** Both are derived from the host key by the caller, so nothing is stored and every host knows the same. */
export type RoleSecrets = {
  passwordOf(role: string): string
  gateSecretOf(role: string): string
}

export type ProvisionOptions = RoleSecrets & {
  slug: string
  database: string
  suffix: string
  /** Connections of the runtime role over all processes: the processes' pools together. Never less than 20, the default. */
  runtimeConnections?: number
}

const fewestConnections = 20

/** What PostgreSQL itself bounds for a module's sessions; a hostile SET could lift some, so the host bounds them again. */
const sharedSettings = {
  work_mem: '4MB',
  temp_file_limit: '64MB',
  max_parallel_workers_per_gather: '0',
  jit: 'off',
  idle_in_transaction_session_timeout: '5s',
  // Statements and values of modules stay out of the server's log.
  log_min_messages: 'fatal',
  log_min_error_statement: 'panic',
  standard_conforming_strings: 'on',
  transform_null_equals: 'off',
  row_security: 'on',
  default_transaction_isolation: 'read committed',
  // What the result's JSON is read from.
  timezone: 'UTC',
  datestyle: 'ISO, YMD',
  intervalstyle: 'iso_8601',
  bytea_output: 'hex',
  extra_float_digits: '1',
}
const runtimeSettings = { ...sharedSettings, statement_timeout: '2s', lock_timeout: '1s', transaction_timeout: '5s' }
const ownerSettings = { ...sharedSettings, statement_timeout: '60s', lock_timeout: '2s', transaction_timeout: '300s' }
const superuserOnly = new Set(['temp_file_limit', 'log_min_messages', 'log_min_error_statement'])

/** Makes the module's schemas and roles, live and sandbox, as far as they are missing. Safe to repeat. */
export async function provisionModule(superuser: pg.ClientBase, options: ProvisionOptions): Promise<void> {
  for (const kind of ['live', 'sandbox'] as const) await provisionSchema(superuser, { ...options, kind })
}

/** One schema with its two roles. */
export async function provisionSchema(
  client: pg.ClientBase,
  options: ProvisionOptions & { kind: SchemaKind },
): Promise<void> {
  const roles = moduleRoleNames(options.slug, options)
  await inTransaction(client, async () => {
    await takeTurns(client)
    const privileged = await isSuperuser(client)
    for (const role of rolesOf(roles, options)) {
      await createRole(client, role, options, privileged)
      await applySettings(client, role, privileged)
    }
    await client.query(schemaScript(roles, options.database))
    await client.query(
      `insert into module_host.modules (owner, runtime, schema, slug) values ($1, $2, $3, $4) on conflict (owner) do nothing`,
      [roles.owner, roles.runtime, roles.schema, options.slug],
    )
  })
}

/** `signsIn`: at any time; else during a migration run only, which opens it. */
type NewRole = { name: string; signsIn: boolean; connections: number; settings: Record<string, string> }

function rolesOf({ owner, runtime, schema }: ModuleRoles, { runtimeConnections = 0 }: ProvisionOptions): NewRole[] {
  return [
    { name: owner, signsIn: false, connections: 1, settings: { ...ownerSettings, search_path: schema } },
    {
      name: runtime,
      signsIn: true,
      connections: Math.max(fewestConnections, Math.trunc(runtimeConnections)),
      settings: { ...runtimeSettings, search_path: schema },
    },
  ]
}

function schemaScript(roles: ModuleRoles, database: string): string {
  const [schema, owner, runtime] = [roles.schema, roles.owner, roles.runtime].map(pg.escapeIdentifier)
  return `
    grant connect on database ${pg.escapeIdentifier(database)} to ${owner}, ${runtime};
    create schema if not exists ${schema} authorization ${owner};
    grant usage on schema ${schema} to ${runtime};
    alter default privileges for role ${owner} in schema ${schema} grant select, insert, update, delete on tables to ${runtime};
    alter default privileges for role ${owner} in schema ${schema} grant usage on sequences to ${runtime};
    grant usage on schema gate to ${owner}, ${runtime};
    grant execute on function gate.enter(text, text), gate.tenant() to ${owner}, ${runtime};
    grant usage on schema module_host to ${owner};
    grant execute on function module_host.record(text, text, text, text, jsonb, text), module_host.record_tenant(text, text, text),
      module_host.record_erasure(text, text, jsonb, text) to ${owner};`
}

async function createRole(
  client: pg.ClientBase,
  { name, signsIn, connections }: NewRole,
  secrets: RoleSecrets,
  privileged: boolean,
): Promise<void> {
  const role = pg.escapeIdentifier(name)
  const limit = `connection limit ${connections}`
  const attributes = `${signsIn ? 'login' : 'nologin'} noinherit ${limit} password ${pg.escapeLiteral(secrets.passwordOf(name))}`
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [name])
  if (rowCount) await client.query(`alter role ${role} ${signsIn ? attributes : limit}`)
  else
    await client.query(
      `create role ${role} nosuperuser nocreatedb nocreaterole noreplication nobypassrls ${attributes}`,
    )
  if (!privileged) await client.query(`grant ${role} to current_user with inherit true, set true`)
  await client.query(
    `insert into gate.secret (role, hash) values ($1, sha256(convert_to($2, 'UTF8')))
     on conflict (role) do update set hash = excluded.hash`,
    [name, secrets.gateSecretOf(name)],
  )
}

async function applySettings(client: pg.ClientBase, { name, settings }: NewRole, privileged: boolean): Promise<void> {
  const statements = Object.entries(settings)
    .filter(([setting]) => privileged || !superuserOnly.has(setting))
    .map(([setting, value]) => `alter role ${pg.escapeIdentifier(name)} set ${setting} = ${pg.escapeLiteral(value)};`)
  await client.query(statements.join('\n'))
}

/** Lets the runtime roles of all modules open as many connections. None is lowered: another host may have more processes. */
export async function raiseConnectionLimits(client: pg.ClientBase, connections: number): Promise<void> {
  await inTransaction(client, async () => {
    await takeTurns(client)
    const { rows } = await client.query<{ role: string }>(
      `select rolname as role from module_host.modules join pg_roles on rolname = runtime
        where rolconnlimit between 0 and $1::int - 1`,
      [connections],
    )
    for (const { role } of rows)
      await client.query(`alter role ${pg.escapeIdentifier(role)} connection limit ${Math.trunc(connections)}`)
  })
}

/** Removes schemas, roles, history and gate secrets of a module. */
export async function dropModule(superuser: pg.ClientBase, options: { slug: string; suffix: string }): Promise<void> {
  for (const kind of ['live', 'sandbox', 'rehearsal'] as const) {
    await dropSchema(superuser, moduleRoleNames(options.slug, { ...options, kind }))
  }
}

/** Ends the sessions of one schema, then removes it, its roles and what is known of them: all or nothing. */
export async function dropSchema(client: pg.ClientBase, roles: ModuleRoles): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    'select rolname as name from pg_roles where rolname = any($1)',
    [[roles.owner, roles.runtime]],
  )
  const names = rows.map((row) => pg.escapeIdentifier(row.name))
  for (const name of names) await client.query(`alter role ${name} nologin`)
  await client.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = any($1)', [
    [roles.owner, roles.runtime],
  ])
  await inTransaction(client, async () => {
    await takeTurns(client)
    await client.query(`drop schema if exists ${pg.escapeIdentifier(roles.schema)} cascade`)
    for (const name of names) await client.query(`drop owned by ${name}`)
    for (const name of names) await client.query(`drop role ${name}`)
    await client.query('delete from gate.secret where role = any($1)', [[roles.owner, roles.runtime]])
    await client.query('delete from module_host.history where schema = $1', [roles.schema])
    await client.query('delete from module_host.tenant_data where schema = $1', [roles.schema])
    await client.query('delete from module_host.erased where schema = $1', [roles.schema])
    await client.query('delete from module_host.runner where schema = $1', [roles.schema])
    await client.query('delete from module_host.modules where schema = $1', [roles.schema])
  })
}

async function inTransaction(client: pg.ClientBase, work: () => Promise<void>): Promise<void> {
  await client.query('begin')
  try {
    await work()
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}

import { createHmac } from 'node:crypto'
import pg from 'pg'
import { type CoreRoles, rolePassword } from './roles.ts'

const fingerprintOf = (hostKey: Buffer): string =>
  createHmac('sha256', hostKey).update('fingerprint').digest('base64url').slice(0, 16)

/**
 * Throws where a database that holds a platform was made under another name or with another key, before anything is
 * changed: its roles, which end in the name's hash, would have no right to anything, and what is sealed would stay so.
 */
export async function refuseForeign(
  client: pg.Client,
  { roles, core, database, hostKey }: { roles: CoreRoles; core: pg.ClientConfig; database: string; hostKey: Buffer },
): Promise<void> {
  const owners = await client.query<{ role: string }>(
    `select distinct grantee::regrole::text as role from pg_namespace, aclexplode(nspacl)
      where nspname = 'core' and grantee <> nspowner order by 1`,
  )
  const [first] = owners.rows
  if (first && !owners.rows.some(({ role }) => role === roles.core)) {
    const whose = `to "${database}" the role ${first.role} means nothing`
    throw new Error(`DATABASE_URL takes a database under the name it was made with: ${whose}`)
  }
  const known = await knownFingerprint(client)
  const isOther = known === undefined ? first && (await isTurnedAway(core)) : known !== fingerprintOf(hostKey)
  if (isOther) throw new Error('HOST_KEY takes the key that this database was made with; this is another')
}

/**
 * A database that was dropped and made again finds the roles of the one before, with passwords of its key: they get those of
 * this one. Throws where another database uses them, since that one's hosts sign in with them.
 */
export async function takeOverRoles(
  client: pg.Client,
  { roles, core, hostKey }: { roles: CoreRoles; core: pg.ClientConfig; hostKey: Buffer },
): Promise<void> {
  const { rows } = await client.query<{ there: boolean }>(`select to_regnamespace('platform') is not null as there`)
  if (rows[0]?.there || !(await isTurnedAway(core))) return
  const names = [roles.core, roles.system]
  const { rows: others } = await client.query<{ name: string }>(
    `select b.datname as name from pg_shdepend d join pg_roles r on d.refclassid = 'pg_authid'::regclass and d.refobjid = r.oid
        join pg_database b on b.oid = d.dbid or (d.classid = 'pg_database'::regclass and d.objid = b.oid)
      where r.rolname = any ($1) and b.datname <> current_database() order by 1 limit 1`,
    [names],
  )
  if (others[0])
    throw new Error(
      `the roles ${names.join(' and ')} belong to "${others[0].name}": drop them, or take another database`,
    )
  for (const name of names)
    await client.query(`alter role ${name} password ${pg.escapeLiteral(rolePassword(hostKey, name))}`)
}

const wrongPassword = '28P01'

/** Where no fingerprint is known the password of the core role tells: it is made of the key. */
async function isTurnedAway(core: pg.ClientConfig): Promise<boolean> {
  const client = new pg.Client(core)
  try {
    await client.connect()
    return false
  } catch (error) {
    if ((error as { code?: string }).code !== wrongPassword) throw error
    return true
  } finally {
    await client.end()
  }
}

/** Writes down whose key it is, where no release did before. */
export async function rememberKey(client: pg.Client, hostKey: Buffer): Promise<void> {
  if ((await knownFingerprint(client)) !== undefined) return
  await client.query('insert into platform.host_key (fingerprint) values ($1)', [fingerprintOf(hostKey)])
}

async function knownFingerprint(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ there: boolean }>(
    `select to_regclass('platform.host_key') is not null as there`,
  )
  if (!rows[0]?.there) return undefined
  return (await client.query<{ fingerprint: string }>('select fingerprint from platform.host_key')).rows[0]?.fingerprint
}

import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { withSession } from '../../database/with-session.ts'
import { inTurns } from '../../processes/at-most.ts'
import type { ModuleRoles } from '../../module-database/role-names.ts'
import type { ImportTarget } from './migration-types.ts'

export type OwnerSession = {
  client: pg.Client
  roles: ModuleRoles
  gateSecret: string
  /** Opens `module_host.record` for this run only. */
  runnerSecret: string
}

/** Longer than any run takes; after it the role cannot sign in, though the publisher was killed before it closed the door. */
const signInMinutes = 15

/**
 * Lets the schema's owner sign in for as long as `work` takes. The caller holds the module's lock: a session of the owner
 * that is still there belongs to a run that was killed, and is ended.
 */
export async function withOwner<Result>(
  superuser: pg.ClientBase,
  target: ImportTarget,
  roles: ModuleRoles,
  work: (session: OwnerSession) => Promise<Result>,
): Promise<Result> {
  const owner = pg.escapeIdentifier(roles.owner)
  const password = target.passwordOf(roles.owner)
  const runnerSecret = randomBytes(24).toString('base64url')
  await endSessions(superuser, roles.owner)
  const until = new Date(Date.now() + signInMinutes * 60_000).toISOString()
  await superuser.query(
    `alter role ${owner} login password ${pg.escapeLiteral(password)} valid until ${pg.escapeLiteral(until)}`,
  )
  await superuser.query(
    `insert into module_host.runner (schema, hash) values ($1, sha256(convert_to($2, 'UTF8')))
     on conflict (schema) do update set hash = excluded.hash`,
    [roles.schema, runnerSecret],
  )
  // A migration and its history are one transaction, so losing both in a power cut loses nothing: the run's last write,
  // below, is synchronous and carries all of them to the disk before the run is reported.
  const client = new pg.Client({
    ...target.superuser,
    user: roles.owner,
    password,
    options: '-c synchronous_commit=off',
  })
  client.on('error', () => {})
  try {
    await client.connect()
    return await work({ client, roles, gateSecret: target.gateSecretOf(roles.owner), runnerSecret })
  } finally {
    await client.end().catch(() => {})
    await superuser.query(`alter role ${owner} nologin`)
    await superuser.query('delete from module_host.runner where schema = $1', [roles.schema])
  }
}

async function endSessions(superuser: pg.ClientBase, role: string): Promise<void> {
  for (let attempt = 0; attempt < 250; attempt++) {
    const { rowCount } = await superuser.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where usename = $1',
      [role],
    )
    if (!rowCount) return
    await new Promise((done) => setTimeout(done, 20))
  }
  throw new Error('a session of an earlier run does not end')
}

const lockSpace = 7_412

/** Sessions that hold or wait for a module: those of every other process are left. A run may take minutes. */
const inTurn = inTurns(8)

/** One run for a module at a time, over all hosts. Who waits behind another of this process has no session yet. */
export function withModuleLock<Result>(
  target: ImportTarget,
  work: (superuser: pg.Client) => Promise<Result>,
): Promise<Result> {
  return inTurn(`${target.superuser.database} ${target.slug}`, () =>
    withSession(target.superuser, async (superuser) => {
      await superuser.query('select pg_advisory_lock($1, hashtext($2))', [lockSpace, target.slug])
      return work(superuser)
    }),
  )
}

/** False where a run for the module is under way. The lock is the session's. */
export async function tryModuleLock(superuser: pg.ClientBase, slug: string): Promise<boolean> {
  const { rows } = await superuser.query<{ free: boolean }>('select pg_try_advisory_lock($1, hashtext($2)) as free', [
    lockSpace,
    slug,
  ])
  return rows[0]?.free === true
}

import { chownSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SystemUser } from './embedded-binaries.ts'

/** Roles that are a module's, whatever its slug: live, sandbox and rehearsal, with or without a database's suffix. */
const modules = '/^[msr]_[a-z][a-z0-9_]*(\\.owner)?(_[0-9a-f]{8})?$'

/**
 * Who may ask to sign in, first match wins: written at each start, so a file that somebody opened up is closed again.
 * By the socket and with a password only (a port of the loopback where the system has no sockets). Modules' roles never
 * reach the databases of the server itself, and nobody replicates. An owner role outside a migration run needs no line:
 * it has no LOGIN then.
 */
export function writeClientAuthentication(cluster: string, options: { port: boolean; user: SystemUser | null }): void {
  const from = options.port ? ['host', '127.0.0.1/32'] : ['local', '']
  const line = (database: string, role: string, method: string) =>
    [from[0], database, role, from[1], method].filter(Boolean).join(' ')
  const lines = [
    '# Written by partner-runtime at each start.',
    line('replication', 'all', 'reject'),
    line('postgres,template0,template1', `"${modules}"`, 'reject'),
    line('all', 'all', 'scram-sha-256'),
  ]
  const file = join(cluster, 'pg_hba.conf')
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 })
  if (options.user) chownSync(file, options.user.uid, options.user.gid)
}

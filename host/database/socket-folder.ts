import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { own, reachable, type SystemUser } from './embedded-binaries.ts'

/** A Unix socket's path, in bytes: what every system takes that Node runs on. */
const longestPath = 103

/**
 * The folder of a database's socket, which `user` alone may enter: in the folder for temporary files, or in `/tmp` where
 * that one is too deep for a socket, closed to `user`, or has a name that PostgreSQL reads as two.
 */
export function makeSocketFolder(key: string, user: SystemUser | null): string {
  const name = `partner-db-${key}`
  const fits = (folder: string) =>
    Buffer.byteLength(join(folder, name, '.s.PGSQL.5432')) <= longestPath &&
    !folder.includes(',') &&
    reachable(folder, user)
  const folder = join(fits(tmpdir()) ? tmpdir() : '/tmp', name)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  own(folder, user)
  return folder
}

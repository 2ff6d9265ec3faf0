import { lstatSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { own, reachable, type SystemUser } from './embedded-binaries.ts'

/** A Unix socket's path, in bytes: what every system takes that Node runs on. */
const longestPath = 103

/**
 * The folder of a database's socket, which `user` alone may enter: in the folder for temporary files, or in `/tmp` where
 * that one is too deep for a socket, closed to `user`, or has a name that PostgreSQL reads as two. Everybody can tell its
 * name: where another user made something of that name, it has one that nobody knew.
 */
export function makeSocketFolder(key: string, user: SystemUser | null): string {
  const name = `partner-db-${key}`
  const fits = (folder: string) =>
    Buffer.byteLength(join(folder, `${name}-XXXXXX`, '.s.PGSQL.5432')) <= longestPath &&
    !folder.includes(',') &&
    reachable(folder, user)
  const above = fits(tmpdir()) ? tmpdir() : '/tmp'
  mkdirSync(above, { recursive: true })
  const usual = join(above, name)
  const folder = madeOrOurs(usual, user) ? usual : mkdtempSync(`${usual}-`)
  own(folder, user)
  return folder
}

/** A folder made now, or by a host that was killed: as `user`, or before it was given to that one. Never through a link. */
function madeOrOurs(folder: string, user: SystemUser | null): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 })
    return true
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error
  }
  const found = lstatSync(folder)
  return found.isDirectory() && [user?.uid, process.getuid?.() ?? found.uid].includes(found.uid)
}

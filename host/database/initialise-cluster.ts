import { execFile } from 'node:child_process'
import { chownSync, globSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { ulid } from 'ulid'
import { own, type SystemUser } from './embedded-binaries.ts'

export const identity = (user: SystemUser | null) => (user ? { uid: user.uid, gid: user.gid } : {})

export const serverEnvironment = (binaries: string) => ({
  PATH: process.env.PATH ?? '',
  LC_ALL: 'C',
  LD_LIBRARY_PATH: join(binaries, 'lib'),
})

/**
 * Makes a cluster under another name, which becomes its own once it is whole: a host may be killed at any moment, and half
 * a cluster looks like one. `scratch`: a folder that `user` alone can read, for the password.
 */
export async function initialiseCluster(options: {
  binaries: string
  cluster: string
  password: string
  user: SystemUser | null
  scratch: string
}): Promise<void> {
  const { binaries, cluster, password, user, scratch } = options
  const unfinished = `${cluster}-unfinished-${ulid()}`
  removeUnfinished(cluster)
  mkdirSync(unfinished, { recursive: true })
  own(unfinished, user)
  const passwordFile = join(scratch, 'password')
  // What a killed host left.
  rmSync(passwordFile, { force: true })
  writeFileSync(passwordFile, password, { mode: 0o600, flag: 'wx' })
  if (user) chownSync(passwordFile, user.uid, user.gid)
  const program = join(binaries, 'bin', 'initdb')
  const access = ['-U', 'postgres', '-A', 'scram-sha-256', `--pwfile=${passwordFile}`]
  const locale = ['-E', 'UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C']
  try {
    await promisify(execFile)(program, ['-D', unfinished, ...access, ...locale, '--no-sync'], {
      ...identity(user),
      env: serverEnvironment(binaries),
      cwd: '/',
    })
    rmSync(cluster, { recursive: true, force: true })
    renameSync(unfinished, cluster)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    throw new Error(`PostgreSQL's files were not made: ${reasonOf(error)}`, { cause: error })
  } finally {
    rmSync(passwordFile, { force: true })
  }
}

/** The first line of initdb, or of the server that it starts, that says why: a full disk, or a user whom the system does not know. */
function reasonOf(error: unknown): string {
  const { stderr = '', message } = error as Error & { stderr?: string }
  return stderr.split('\n').find((line) => /^initdb: (?!warning)|FATAL|PANIC/.test(line)) ?? message
}

/** What hosts that were killed left. One that is still being written goes all the same: its host is gone. */
function removeUnfinished(cluster: string): void {
  const folder = dirname(cluster)
  for (const name of globSync(`${basename(cluster)}-unfinished-*`, { cwd: folder }))
    rmSync(join(folder, name), { recursive: true, force: true, maxRetries: 5 })
}

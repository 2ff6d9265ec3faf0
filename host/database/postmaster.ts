import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { existsSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { isAlive } from '../processes/is-alive.ts'
import type { SystemUser } from './embedded-binaries.ts'
import { identity, serverEnvironment } from './initialise-cluster.ts'

/** The database of every server, whatever became of the others. */
export const alwaysThere = 'template1'

/** What a postmaster is started with. `settings` are those of `postgresql.conf`, by name. */
export type PostmasterCommand = {
  binaries: string
  cluster: string
  settings: Record<string, string | number>
  user: SystemUser | null
}

/**
 * Starts a postmaster, and another in its place when it ends by itself, as when the kernel kills it for its memory. Answers
 * with the way to stop it. `tell` is given how it ended, and, once for each reason, why another does not start.
 */
export async function keepPostmaster(
  command: PostmasterCommand,
  superuser: pg.ClientConfig,
  tell: (message: string) => void,
): Promise<() => Promise<void>> {
  let stopping = false
  let current = await startPostmaster(command, superuser)
  const reasons = new Set<string>()
  const tellOnce = ({ message }: Error) => {
    if (!stopping && !reasons.has(message)) tell(`${message}; it is tried again`)
    reasons.add(message)
  }
  const kept = (async () => {
    while (!stopping) {
      if (!hasEnded(current)) await new Promise((ended) => current.once('exit', ended))
      if (stopping) return
      if (reasons.size === 0) tell(`PostgreSQL ended (${current.signalCode ?? `code ${current.exitCode}`})`)
      try {
        current = await startPostmaster(command, superuser)
        reasons.clear()
      } catch (error) {
        tellOnce(error as Error)
        await new Promise((done) => setTimeout(done, pauseBetweenStarts))
      }
    }
  })()
  return async () => {
    stopping = true
    await stopPostmaster(current)
    await kept
    // One that was being started meanwhile.
    await stopPostmaster(current)
  }
}

/** Backends of a server that was killed hold its memory for a moment longer: a refused start is tried again. */
const startAttempts = 20
const pauseBetweenStarts = 150

async function startPostmaster(command: PostmasterCommand, superuser: pg.ClientConfig): Promise<ChildProcess> {
  for (let attempt = 1; ; attempt++) {
    const postmaster = spawnPostmaster(command)
    const ended = new Promise<false>((done) => postmaster.once('close', () => done(false)))
    try {
      if (await Promise.race([answers(superuser, postmaster), ended])) return postmaster
    } catch (error) {
      await stopPostmaster(postmaster)
      throw error
    }
    if (attempt === startAttempts)
      throw new Error(`PostgreSQL did not start: ${reasonOf(startLog.get(postmaster) ?? '')}`)
    await new Promise((done) => setTimeout(done, pauseBetweenStarts))
  }
}

/** What a server that did not start said last and gravest; it has run no statement. All it said, where none is marked so. */
const reasonOf = (said: string): string =>
  said
    .match(/(?<=^.*(?:FATAL|PANIC): +).*/gm)
    ?.at(-1)
    ?.trim() ?? said.trim().replaceAll('\n', ' ')

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null

/** Backends together may map this much beyond shared memory: a statement that asks for more fails, the host lives. */
const addressSpaceKilobytes = 920_000

function spawnPostmaster({ binaries, cluster, settings, user }: PostmasterCommand): ChildProcess {
  const server = join(binaries, 'bin', 'postgres')
  const args = ['-D', cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
  const options: SpawnOptions = {
    ...identity(user),
    env: serverEnvironment(binaries),
    cwd: '/',
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  }
  const bounded = ['-c', `ulimit -v ${addressSpaceKilobytes}; exec "$0" "$@"`, server, ...args]
  const child = process.platform === 'win32' ? spawn(server, args, options) : spawn('/bin/sh', bounded, options)
  // Statements of modules must not reach a log: what the server says is kept only for a failed start.
  child.stderr?.setEncoding('utf8')
  child.stderr?.on('data', (text: string) => {
    startLog.set(child, `${startLog.get(child) ?? ''}${text}`.slice(-2_000))
  })
  child.on('error', ({ message }) => startLog.set(child, message))
  child.unref()
  return child
}

const startLog = new WeakMap<ChildProcess, string>()

/** Whether a server does not know who asks, or by what password. SQLSTATE, class 28. */
export const isRefusal = (error: unknown): boolean => `${(error as { code?: unknown }).code}`.startsWith('28')

/** True once it does, false where it ended. Throws what it answers where it refuses the superuser: it would for ever. */
async function answers(superuser: pg.ClientConfig, postmaster: ChildProcess): Promise<boolean> {
  while (!hasEnded(postmaster)) {
    const client = new pg.Client({ ...superuser, database: alwaysThere })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.end()
      return true
    } catch (error) {
      if (isRefusal(error)) throw error
      await new Promise((done) => setTimeout(done, 10))
    }
  }
  return false
}

async function stopPostmaster(postmaster: ChildProcess): Promise<void> {
  if (hasEnded(postmaster)) return
  const gone = new Promise<void>((done) => postmaster.once('exit', () => done()))
  postmaster.kill('SIGINT')
  const impatient = setTimeout(() => postmaster.kill('SIGQUIT'), 8_000)
  await gone
  clearTimeout(impatient)
}

/** A postmaster that outlived its host (the host was killed) is asked to stop before a new one starts. */
export async function endLeftover(cluster: string): Promise<void> {
  const pidFile = join(cluster, 'postmaster.pid')
  if (!existsSync(pidFile)) return
  const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0])
  if (pid > 0 && isPostmasterOf(pid, cluster)) {
    process.kill(pid, 'SIGINT')
    for (let waited = 0; isAlive(pid); waited += 20) {
      if (waited === 5_000) process.kill(pid, 'SIGQUIT')
      await new Promise((done) => setTimeout(done, 20))
    }
  }
  rmSync(pidFile, { force: true })
}

/** It works in its cluster's folder, by whatever way that was named to it. */
function isPostmasterOf(pid: number, cluster: string): boolean {
  try {
    const program = readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
    return program === 'postgres' && readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cluster)
  } catch {
    return false
  }
}

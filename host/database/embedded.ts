import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { writeClientAuthentication } from './client-authentication.ts'
import { clusterFolder, databaseUser, readableBinaries, type SystemUser } from './embedded-binaries.ts'
import { identity, initialiseCluster, serverEnvironment } from './initialise-cluster.ts'
import { isOrphan, setAside } from './orphaned-cluster.ts'
import { makeSocketFolder } from './socket-folder.ts'

/** A running PostgreSQL of our own. `superuser` is the provisioning credential: only the publisher may hold it. */
export type EmbeddedDatabase = {
  superuser: pg.ClientConfig & { database: string }
  /** Fast shutdown; resolves when the postmaster is gone. */
  stop(): Promise<void>
}

/** The database of every server, whatever became of the others. */
export const alwaysThere = 'template1'

/** Where nobody says how many processes will use it. */
const usualSessions = 200

/** Backends together may map this much beyond shared memory: a statement that asks for more fails, the host lives. */
const addressSpaceKilobytes = 920_000

const configuration = (socketFolder: string, port: number | null, sessions: number) => ({
  listen_addresses: port ? '127.0.0.1' : '',
  port: port ?? 5432,
  unix_socket_directories: port ? '' : socketFolder,
  unix_socket_permissions: '0700',
  max_connections: sessions,
  shared_buffers: '128MB',
  max_prepared_transactions: 0,
  password_encryption: 'scram-sha-256',
  // The gate's secret travels as a bound value: values are never logged.
  log_parameter_max_length: 0,
  log_parameter_max_length_on_error: 0,
  log_min_error_statement: 'panic',
  log_min_messages: 'error',
  jit: 'off',
  timezone: 'UTC',
  wal_compression: 'on',
})

/** Whether there is a cluster below `dataDirectory` yet. */
export function hasCluster(dataDirectory: string): boolean {
  return existsSync(join(clusterFolder(dataDirectory, databaseUser(), keyOf(dataDirectory)), 'PG_VERSION'))
}

/** Sets aside the cluster of a data folder that was here before and was removed. */
export async function leaveOrphan(dataDirectory: string): Promise<void> {
  const cluster = clusterFolder(dataDirectory, databaseUser(), keyOf(dataDirectory))
  if (!isOrphan(cluster, dataDirectory)) return
  await endLeftover(cluster)
  setAside(cluster)
}

const keyOf = (dataDirectory: string) => createHash('sha256').update(dataDirectory).digest('hex').slice(0, 8)

/** Starts (and on first use makes) the cluster below `dataDirectory`. Takes over after a host that was killed. */
export async function startEmbeddedDatabase(
  dataDirectory: string,
  options: { fast?: boolean; sessions?: number } = {},
): Promise<EmbeddedDatabase> {
  const user = databaseUser()
  const key = keyOf(dataDirectory)
  const binaries = readableBinaries(user)
  mkdirSync(dataDirectory, { recursive: true })
  const cluster = clusterFolder(dataDirectory, user, key)
  await leaveOrphan(dataDirectory)
  const password = readOrMakePassword(join(dataDirectory, 'database-password'))
  const socketFolder = makeSocketFolder(key, user)
  if (!existsSync(join(cluster, 'PG_VERSION')))
    await initialiseCluster({ binaries, cluster, password, user, scratch: socketFolder })
  await endLeftover(cluster)
  const port = process.platform === 'win32' ? await freePort() : null
  writeClientAuthentication(cluster, { port: port !== null, user })
  const superuser = {
    host: port ? '127.0.0.1' : socketFolder,
    port: port ?? 5432,
    user: 'postgres',
    password,
    database: 'postgres',
  }
  const settings = {
    ...configuration(socketFolder, port, options.sessions ?? usualSessions),
    ...(options.fast ? unsafeButFast : {}),
  }
  const stopServer = await keepPostmaster(() => spawnPostmaster(binaries, cluster, settings, user), superuser)
  const stop = async () => {
    await stopServer()
    rmSync(socketFolder, { recursive: true, force: true })
  }
  return { superuser, stop }
}

/** For tests only: a cluster that need not survive a power cut. */
const unsafeButFast = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

function readOrMakePassword(file: string): string {
  if (!existsSync(file)) writeFileSync(file, randomBytes(24).toString('base64url'), { mode: 0o600, flag: 'wx' })
  return readFileSync(file, 'utf8')
}

/** A postmaster that outlived its host (the host was killed) is asked to stop before a new one starts. */
async function endLeftover(cluster: string): Promise<void> {
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

function isPostmasterOf(pid: number, cluster: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(cluster)
  } catch {
    return false
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

function spawnPostmaster(
  binaries: string,
  cluster: string,
  settings: Record<string, string | number>,
  user: SystemUser | null,
): ChildProcess {
  const server = join(binaries, 'bin', 'postgres')
  const args = ['-D', cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
  const options = {
    ...identity(user),
    env: serverEnvironment(binaries),
    cwd: '/',
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'] as const,
  }
  const child =
    process.platform === 'win32'
      ? spawn(server, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] })
      : spawn('/bin/sh', ['-c', `ulimit -v ${addressSpaceKilobytes}; exec "$0" "$@"`, server, ...args], {
          ...options,
          stdio: ['ignore', 'ignore', 'pipe'],
        })
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

/** Backends of a server that was killed hold its memory for a moment longer: a refused start is tried again. */
const startAttempts = 20
const pauseBetweenStarts = 150

async function startPostmaster(spawnOne: () => ChildProcess, superuser: pg.ClientConfig): Promise<ChildProcess> {
  for (let attempt = 1; ; attempt++) {
    const postmaster = spawnOne()
    const ended = new Promise<false>((done) => postmaster.once('close', () => done(false)))
    if (await Promise.race([answers(superuser, postmaster), ended])) return postmaster
    if (attempt === startAttempts) throw new Error(`PostgreSQL did not start: ${startLog.get(postmaster) ?? ''}`)
    await new Promise((done) => setTimeout(done, pauseBetweenStarts))
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null

/** Starts a postmaster, and another in its place when it ends by itself, as when the kernel kills it for its memory. */
async function keepPostmaster(spawnOne: () => ChildProcess, superuser: pg.ClientConfig): Promise<() => Promise<void>> {
  let stopping = false
  let current = await startPostmaster(spawnOne, superuser)
  const kept = (async () => {
    while (!stopping) {
      if (!hasEnded(current)) await new Promise((ended) => current.once('exit', ended))
      if (stopping) return
      const next = await startPostmaster(spawnOne, superuser).catch(() => null)
      if (next) current = next
      else await new Promise((done) => setTimeout(done, pauseBetweenStarts))
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

async function answers(superuser: pg.ClientConfig, postmaster: ChildProcess): Promise<boolean> {
  while (!hasEnded(postmaster)) {
    const client = new pg.Client({ ...superuser, database: alwaysThere })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.end()
      return true
    } catch {
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

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as { port: number }
  await new Promise((done) => server.close(done))
  return port
}

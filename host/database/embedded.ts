import { createHash } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import type pg from 'pg'
import { writeClientAuthentication } from './client-authentication.ts'
import { clusterFolder, isMade, refuseUnusable } from './cluster-folder.ts'
import { recordCluster } from './cluster-place.ts'
import { readDatabasePassword, wrongPassword } from './database-password.ts'
import { databaseUser, readableBinaries } from './embedded-binaries.ts'
import { initialiseCluster } from './initialise-cluster.ts'
import { isOrphan, setAside } from './orphaned-cluster.ts'
import { endLeftover, isRefusal, keepPostmaster } from './postmaster.ts'
import { makeSocketFolder } from './socket-folder.ts'

/** A running PostgreSQL of our own. `superuser` is the provisioning credential: only the publisher may hold it. */
export type EmbeddedDatabase = {
  superuser: pg.ClientConfig & { database: string }
  /** Fast shutdown; resolves when the postmaster is gone. */
  stop(): Promise<void>
}

/** Where nobody says how many processes will use it. */
const usualSessions = 200

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

/** Whether there is a cluster of `dataDirectory` yet. */
export function hasCluster(dataDirectory: string): boolean {
  return isMade(clusterFolder(dataDirectory, databaseUser(), keyOf(dataDirectory)))
}

/** Sets aside the cluster of a data folder that was here before and was removed. */
export async function leaveOrphan(dataDirectory: string): Promise<void> {
  const cluster = clusterFolder(dataDirectory, databaseUser(), keyOf(dataDirectory))
  if (!isOrphan(cluster, dataDirectory)) return
  await endLeftover(cluster)
  setAside(cluster)
}

const keyOf = (dataDirectory: string) => createHash('sha256').update(dataDirectory).digest('hex').slice(0, 8)

/**
 * Starts (and on first use makes) the cluster of `dataDirectory`. Takes over after a host that was killed. `tell` is given
 * what becomes of a server that ends by itself. Throws a SettingError where the cluster is there and cannot be used.
 */
export async function startEmbeddedDatabase(
  dataDirectory: string,
  options: { fast?: boolean; sessions?: number; tell?: (message: string) => void } = {},
): Promise<EmbeddedDatabase> {
  const user = databaseUser()
  const key = keyOf(dataDirectory)
  const binaries = readableBinaries(user)
  mkdirSync(dataDirectory, { recursive: true })
  await leaveOrphan(dataDirectory)
  const cluster = clusterFolder(dataDirectory, user, key)
  const made = isMade(cluster)
  if (made) refuseUnusable(cluster, user)
  const password = readDatabasePassword(dataDirectory, made)
  const socketFolder = makeSocketFolder(key, user)
  const removeSocketFolder = () => rmSync(socketFolder, { recursive: true, force: true })
  try {
    if (!made) await initialiseCluster({ binaries, cluster, password, user, scratch: socketFolder })
    recordCluster(dataDirectory, cluster)
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
    const stopServer = await keepPostmaster(
      { binaries, cluster, settings, user },
      superuser,
      options.tell ?? (() => {}),
    )
    return { superuser, stop: () => stopServer().then(removeSocketFolder) }
  } catch (error) {
    removeSocketFolder()
    throw isRefusal(error) ? wrongPassword(dataDirectory) : error
  }
}

/** For tests only: a cluster that need not survive a power cut. */
const unsafeButFast = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as { port: number }
  await new Promise((done) => server.close(done))
  return port
}

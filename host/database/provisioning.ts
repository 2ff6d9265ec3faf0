import pg from 'pg'
import type { Logger } from 'pino'
import { type Settings, SettingError, webProcessCount } from '../config.ts'
import { hasCluster, leaveOrphan, startEmbeddedDatabase } from './embedded.ts'
import { alwaysThere } from './postmaster.ts'
import { sessionOptions } from './session-options.ts'
import { mostSessions } from './sessions.ts'

/** The superuser or CREATEROLE credential, and whose server it is. Given to the publisher and to nobody else. */
export type Provisioning = {
  credential: pg.ClientConfig & { database: string }
  embedded: boolean
  close(): Promise<void>
}

const embeddedDatabase = 'partner'
/** The modes of libpq that never fall back to plain text. The server's certificate is checked in each of them. */
const encrypted = new Set(['require', 'verify-ca', 'verify-full'])

/**
 * Between a host and a database elsewhere a connection that rests for minutes is often dropped without a word to either. Asked
 * after so often, in milliseconds, it is not; one that is gone all the same is known to be within seconds.
 */
const keptAlive = { keepAlive: true, keepAliveInitialDelayMillis: 30_000 } as const

/** Whether this start will make our own PostgreSQL's cluster. To be asked before anything is written to the data folder. */
export async function isFirstStart({ DATABASE_URL, DATA_DIR }: Settings): Promise<boolean> {
  if (DATABASE_URL) return false
  await leaveOrphan(DATA_DIR)
  return !hasCluster(DATA_DIR)
}

/**
 * Our own PostgreSQL, or the one that the setting names. Throws a SettingError where that one does not answer. `log` is
 * told what becomes of our own while it runs, and warned where what is said to the other one can be read on the way.
 */
export async function openProvisioning(
  settings: Settings,
  log?: Pick<Logger, 'error' | 'warn'>,
): Promise<Provisioning> {
  if (!settings.DATABASE_URL) {
    const fresh = !hasCluster(settings.DATA_DIR)
    const { superuser, stop } = await startEmbeddedDatabase(settings.DATA_DIR, {
      sessions: mostSessions(webProcessCount(settings)),
      ...(log ? { tell: (message) => log.error(message) } : {}),
    })
    if (fresh) await takeFirstDatabase(superuser)
    return { credential: { ...superuser, database: embeddedDatabase }, embedded: true, close: stop }
  }
  const url = new URL(settings.DATABASE_URL)
  const credential = {
    // As libpq: the parameter wins, for example a folder with a Unix socket. RFC 3986, 3.2.2: brackets are the address's form.
    host: url.searchParams.get('host') ?? decodeURIComponent(url.hostname).replace(/^\[(.*)\]$/, '$1'),
    port: Number(url.port || 5432),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: decodeURIComponent(url.pathname.slice(1)),
    options: sessionOptions,
    ...keptAlive,
    ...(encrypted.has(url.searchParams.get('sslmode') ?? '') ? { ssl: { rejectUnauthorized: true } } : {}),
  }
  if (!('ssl' in credential) && !isHere(credential.host))
    log?.warn(`the database at ${credential.host} is spoken to in plain text: DATABASE_URL takes ?sslmode=require`)
  const client = new pg.Client({ ...credential, connectionTimeoutMillis: 5_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.end()
  } catch (error) {
    throw new SettingError(
      `DATABASE_URL takes the address of a PostgreSQL that answers (${(error as Error).message.split('\n')[0]})`,
    )
  }
  return { credential, embedded: false, close: async () => {} }
}

/** No host named is this one; a folder has a Unix socket. */
const isHere = (host: string): boolean => /^($|\/|localhost$|127\.|::1$)/.test(host)

/** A new cluster's own empty database becomes ours: a second one is hundreds of files, a tenth of a first start. */
async function takeFirstDatabase(superuser: pg.ClientConfig & { database: string }): Promise<void> {
  const client = new pg.Client({ ...superuser, database: alwaysThere })
  await client.connect()
  try {
    await client.query(
      `alter database ${pg.escapeIdentifier(superuser.database)} rename to ${pg.escapeIdentifier(embeddedDatabase)}`,
    )
  } finally {
    await client.end()
  }
}

import type pg from 'pg'
import type { Logger } from 'pino'
import type { Settings } from '../config.ts'
import type { CoreDatabase } from '../database/core-database.ts'
import type { IsolateClient } from '../isolates/client/client.ts'
import type { PublisherKeys, WebKeys } from '../security/keys.ts'

/** What publishing works with. Only the publisher's process has one. */
export type PublisherContext = {
  settings: Settings
  logger: Logger
  /** Superuser or CREATEROLE. */
  provisioning: pg.Pool
  /** The same credential, for sessions of their own. */
  credential: pg.ClientConfig & { database: string }
  system: pg.Pool
  core: CoreDatabase
  client: IsolateClient
  database: string
  suffix: string
  keys: WebKeys & PublisherKeys
  embedded: boolean
  clock: () => Date
}

import type pg from 'pg'
import type { Logger } from 'pino'
import type { SharedSettings } from '../config.ts'
import type { CoreDatabase } from '../database/core-database.ts'
import type { IsolateClient } from '../isolates/client/client.ts'
import type { RunnerJail } from '../isolates/runner-jail.ts'
import type { AppRecord } from '../lifecycle/records.ts'
import type { WebhookProbe } from '../lifecycle/report.ts'
import type { PublisherKeys, WebKeys } from '../security/keys.ts'
import type { AppLock } from './app-lock.ts'
import type { BuildTurns } from './build-turns.ts'
import type { Workshop } from './source/workshop.ts'

/** What publishing works with. Only the publisher's process has one. */
export type PublisherContext = {
  settings: SharedSettings
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
  workshop: Workshop
  inBuildTurn: BuildTurns
  withAppLock: AppLock
  /** The same locks; an operator's roll-back waits behind no other app's publishing for a session. */
  withAppLockForRollBack: AppLock
  /** Where code caches are compiled. */
  runnerJail: () => RunnerJail
  /** Sends a signed ping, to public addresses only unless a setting opens loopback. */
  probeWebhook: (app: Pick<AppRecord, 'id'>, url: string) => Promise<WebhookProbe>
  clock: () => Date
}

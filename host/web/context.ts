import type pg from 'pg'
import type { Logger } from 'pino'
import type { Ports } from '../../partner-services/service/ports.ts'
import type { SharedSettings } from '../config.ts'
import type { CoreDatabase } from '../database/core-database.ts'
import type { InstalledModules } from '../embedded-apps/installed-modules.ts'
import type { ModuleCalls } from '../embedded-apps/module-calls.ts'
import type { ModuleLog } from '../embedded-apps/module-log.ts'
import type { AppendContact } from '../http/contacts.ts'
import type { TokenCallers } from '../http/token-callers.ts'
import type { IsolateClient } from '../isolates/client/client.ts'
import type { Rpc } from '../processes/rpc.ts'
import type { WebKeys } from '../security/keys.ts'
import type { Epoch } from '../security/remembered.ts'

/** What every door of a web process serves with. */
export type WebContext = {
  settings: SharedSettings
  logger: Logger
  ports: Ports
  tokens: TokenCallers
  /** Says how long what is remembered of tokens and sessions may be used. */
  epoch: Epoch
  /** The role that sees across tenants, on the tables protected with system access. */
  system: pg.Pool
  database: CoreDatabase
  client: IsolateClient
  modules: InstalledModules
  moduleCalls: ModuleCalls
  moduleLog: ModuleLog
  publisher: Rpc
  keys: WebKeys
  operatorTokenHash: string
  /** True where PostgreSQL is our own: then `publish --approve` is allowed. */
  embedded: boolean
  appendContact: AppendContact
  /** Tells the delivery workers that something is due. */
  wakeDeliveries: () => void
}

import pg from 'pg'
import type { Logger } from 'pino'
import type { Settings } from '../config.ts'
import { createCoreDatabase } from '../database/core-database.ts'
import type { CoreConnection } from '../database/prepare.ts'
import { createAccessLog } from '../http/access-log.ts'
import { contactStore } from '../http/contacts.ts'
import type { WebContext } from '../http/server.ts'
import { createTokenCallers } from '../http/token-callers.ts'
import { createCipher } from '../security/cipher.ts'
import { followTokenEpoch } from '../security/token-epoch.ts'

const poolSize = 20
const systemPoolSize = 5

/** Everything a web process serves with. It holds the host's two roles and the host key, never the provisioning credential. */
export function createWebContext(options: {
  settings: Settings
  connection: CoreConnection
  hostKey: Buffer
  logger: Logger
  clock?: () => Date
}): WebContext & { close(): Promise<void> } {
  const { settings, connection, hostKey, logger, clock = () => new Date() } = options
  const database = createCoreDatabase({ connection: connection.core, poolSize, clock })
  const system = new pg.Pool({ ...connection.system, max: systemPoolSize })
  system.on('error', () => {})
  const accessLog = createAccessLog(system, clock, (error) => logger.error({ err: error }, 'access log not written'))
  const epoch = followTokenEpoch(connection.system, () => tokens.forget())
  const tokens = createTokenCallers(system, clock, epoch)
  return {
    settings,
    logger,
    tokens,
    appendContact: contactStore(system, clock),
    ports: {
      database,
      recordAccess: accessLog.record,
      cipher: createCipher(hostKey),
      clock,
      platformTimeZone: 'Asia/Riyadh',
    },
    async close() {
      await epoch.close()
      await accessLog.flush()
      await Promise.all([database.close(), system.end()])
    },
  }
}

import { createPublicKey } from 'node:crypto'
import type { Logger } from 'pino'
import { operations } from '../../partner-services/registry.ts'
import type { Ports } from '../../partner-services/service/ports.ts'
import { createCoreDatabase } from '../database/core-database.ts'
import { openPool } from '../database/open-pool.ts'
import { webSessions } from '../database/sessions.ts'
import { createInstalledModules } from '../embedded-apps/installed-modules.ts'
import { asRun, createModuleCalls } from '../embedded-apps/module-calls.ts'
import { createModuleLog } from '../embedded-apps/module-log.ts'
import { createStrikes } from '../embedded-apps/strikes.ts'
import { createEventWriter } from '../events/event-writer.ts'
import { createWaker } from '../events/wake.ts'
import { createAccessLog } from '../http/access-log.ts'
import { contactStore } from '../http/contacts.ts'
import { createTokenCallers } from '../http/token-callers.ts'
import { codeCacheMaker } from '../isolates/code-cache.ts'
import { createIsolateClient } from '../isolates/client/client.ts'
import type { RunnerLinks } from '../isolates/links.ts'
import { openModuleDatabase } from '../module-database/open-module-database.ts'
import type { Rpc } from '../processes/rpc.ts'
import { createCipher } from '../security/cipher.ts'
import { runtimeSecrets } from '../security/module-secrets.ts'
import { followTokenEpoch } from '../security/token-epoch.ts'
import type { WebContext } from './context.ts'
import type { WebStart } from './web-start.ts'
import { requestTimeLimits } from '../database/time-limits.ts'

export type WebContextOptions = WebStart & {
  logger: Logger
  links: RunnerLinks
  /** The only holder of the provisioning credential; asked through the supervisor. */
  publisher: Rpc
  clock?: () => Date
}

/** Everything a web process serves with. It holds the host's two roles, never the provisioning credential. */
export function createWebContext(options: WebContextOptions): WebContext & { close(): Promise<void> } {
  const { settings, connection, keys, logger, clock = () => new Date() } = options
  const report = (what: string) => (error: unknown) => logger.error({ err: error }, what)
  const system = openPool({ ...requestTimeLimits, ...connection.system, max: webSessions.system })
  const cipher = createCipher(keys.data)
  const waker = createWaker(system)
  const writeEvent = createEventWriter({ cipher, clock, wake: waker.wake })
  const database = createCoreDatabase({
    connection: { ...requestTimeLimits, ...connection.core },
    poolSize: webSessions.core,
    clock,
    writeEvent,
  })
  const accessLog = createAccessLog(system, clock, report('access log not written'))
  const epoch = followTokenEpoch(connection.system)
  const tokens = createTokenCallers(system, clock, epoch)
  const moduleLog = createModuleLog(system, clock, report('module log not written'))
  const ports: Ports = {
    database,
    recordAccess: accessLog.record,
    cipher,
    clock,
    platformTimeZone: 'Asia/Riyadh',
  }
  const strikes = createStrikes(system, clock, report('strike not recorded'))
  const client = createIsolateClient({
    links: options.links,
    codeCacheKey: keys.codeCache,
    onStrike: strikes.record,
    log: ({ level, message }) => logger[level](message),
  })
  const modules = createInstalledModules({
    system,
    publicKey: createPublicKey(options.publicKey),
    codeCacheMaker: codeCacheMaker(keys.codeCache),
    epoch,
    clock,
    report: (problem) => logger.error(problem),
  })
  const moduleDatabase = openModuleDatabase({
    connection,
    secrets: runtimeSecrets(keys.runtime),
    pools: { core: database.pool, system },
    sameMachine: options.embedded,
    async onUnstopped({ slug, tenantId }) {
      logger.warn({ slug, tenant: tenantId }, 'a statement goes on although it was cancelled')
      const installation = await modules.find(tenantId, slug)
      if (installation) strikes.record(asRun(installation), 'a statement that could not be stopped')
    },
    report,
  })
  return {
    settings,
    logger,
    ports,
    system,
    database,
    client,
    modules,
    moduleLog,
    publisher: options.publisher,
    keys,
    operatorTokenHash: options.operatorTokenHash,
    embedded: options.embedded,
    tokens,
    epoch,
    moduleCalls: createModuleCalls({
      client,
      modules,
      operations,
      ports,
      moduleDatabase: moduleDatabase.database,
      log: moduleLog,
      report: report('a call of a module failed'),
    }),
    appendContact: contactStore(system, clock),
    wakeDeliveries: waker.wake,
    async close() {
      client.close()
      waker.close()
      await Promise.all([moduleDatabase.close(), epoch.close(), accessLog.flush(), moduleLog.flush()])
      await Promise.all([database.close(), system.end()])
    },
  }
}

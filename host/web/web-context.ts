import { openPool } from '../database/open-pool.ts'
import { createPublicKey } from 'node:crypto'
import type { Logger } from 'pino'
import { operations } from '../../partner-services/registry.ts'
import type { Ports } from '../../partner-services/service/ports.ts'
import { createGuard } from '../../policy/sql/worker.ts'
import type { Settings } from '../config.ts'
import { createCoreDatabase } from '../database/core-database.ts'
import type { CoreConnection } from '../database/prepare.ts'
import { createInstalledModules } from '../embedded-apps/installed-modules.ts'
import { asRun, createModuleCalls } from '../embedded-apps/module-calls.ts'
import { createModuleLog } from '../embedded-apps/module-log.ts'
import { createStrikes } from '../embedded-apps/strikes.ts'
import { createEventWriter } from '../events/event-writer.ts'
import { createWaker } from '../events/wake.ts'
import { createAccessLog } from '../http/access-log.ts'
import { contactStore } from '../http/contacts.ts'
import type { WebContext } from './context.ts'
import { createTokenCallers } from '../http/token-callers.ts'
import { codeCacheMaker } from '../isolates/code-cache.ts'
import { createIsolateClient } from '../isolates/client/client.ts'
import type { RunnerLinks } from '../isolates/links.ts'
import { createModuleDatabase } from '../module-database/module-database.ts'
import { type SchemaSizes, watchSchemaSizes } from '../module-database/schema-size.ts'
import { createStatementGuard } from '../module-database/statement-guard.ts'
import { watchUnstopped } from '../module-database/unstopped.ts'
import type { Rpc } from '../processes/rpc.ts'
import { createCipher } from '../security/cipher.ts'
import type { WebKeys } from '../security/keys.ts'
import { runtimeSecrets } from '../security/module-secrets.ts'
import { followTokenEpoch } from '../security/token-epoch.ts'
import { webSessions } from '../database/sessions.ts'

/** What one module's schema may hold, all tenants together, in bytes; above it nothing more can be written. */
const schemaQuota = 2 * 1_024 ** 3

export type WebContextOptions = {
  settings: Settings
  connection: CoreConnection
  keys: WebKeys
  /** PEM of the key that bundles are signed with. */
  publicKey: string
  operatorTokenHash: string
  embedded: boolean
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
  const system = openPool({ ...connection.system, max: webSessions.system })
  const cipher = createCipher(keys.data)
  const waker = createWaker(system)
  const writeEvent = createEventWriter({ cipher, clock, wake: waker.wake })
  const database = createCoreDatabase({ connection: connection.core, poolSize: webSessions.core, clock, writeEvent })
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
  const guard = createGuard()
  const moduleDatabase = createModuleDatabase({
    connection: connection.core,
    suffix: connection.suffix,
    secrets: runtimeSecrets(keys.runtime),
    guard: createStatementGuard(guard),
    isOverSize: (schema) => sizes?.isOver(schema) ?? false,
    onUnstopped: (left) => unstopped.watch(left),
  })
  let sizes: SchemaSizes | null = null
  watchSchemaSizes(database.pool, { quotaBytes: schemaQuota }).then((watch) => {
    sizes = watch
  }, report('schema sizes not watched'))
  const strikes = createStrikes(system, clock, report('strike not recorded'))
  const unstopped = watchUnstopped({
    system,
    sameMachine: options.embedded,
    async onFound({ slug, tenantId }) {
      logger.warn({ slug, tenant: tenantId }, 'a statement goes on although it was cancelled')
      const installation = await modules.find(tenantId, slug)
      if (installation) strikes.record(asRun(installation), 'a statement that could not be stopped')
    },
    onError: report('statements left behind not looked for'),
  })
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
      moduleDatabase,
      log: moduleLog,
      report: report('a call of a module failed'),
    }),
    appendContact: contactStore(system, clock),
    wakeDeliveries: waker.wake,
    async close() {
      client.close()
      waker.close()
      sizes?.stop()
      unstopped.close()
      moduleDatabase.close()
      await Promise.all([epoch.close(), accessLog.flush(), moduleLog.flush(), guard.close()])
      await Promise.all([database.close(), system.end()])
    },
  }
}

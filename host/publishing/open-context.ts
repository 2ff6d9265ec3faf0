import type pg from 'pg'
import type { SharedSettings } from '../config.ts'
import { createCoreDatabase } from '../database/core-database.ts'
import { openPool } from '../database/open-pool.ts'
import type { CoreConnection } from '../database/prepare.ts'
import { createWebhookClient } from '../events/webhook-client.ts'
import { openWebhookSecret } from '../events/webhook-secret.ts'
import { createIsolateClient } from '../isolates/client/client.ts'
import { buildRunnerJail, type RunnerJail } from '../isolates/runner-jail.ts'
import type { RunnerLinks } from '../isolates/links.ts'
import { createLogger } from '../log.ts'
import { createCipher } from '../security/cipher.ts'
import { publisherKeys, webKeys } from '../security/keys.ts'
import { createAppLock } from './app-lock.ts'
import { createBuildTurns } from './build-turns.ts'
import type { PublisherContext } from './publisher-context.ts'
import { createWebhookProbe } from './webhook-probe.ts'
import type { Workshop } from './source/workshop.ts'

/** Everything the publisher works with, once its database is prepared. `close` ends all of it but links and workshop. */
export function openContext(options: {
  settings: SharedSettings
  credential: pg.ClientConfig & { database: string }
  hostKey: Buffer
  embedded: boolean
  connection: CoreConnection
  provisioning: pg.Pool
  links: RunnerLinks
  workshop: Workshop
}): { context: PublisherContext; close(): Promise<void> } {
  const { settings, credential, hostKey, embedded, connection, provisioning, links, workshop } = options
  const keys = { ...webKeys(hostKey), ...publisherKeys(hostKey) }
  const logger = createLogger(settings)
  const clock = () => new Date()
  const system = openPool({ ...connection.system, max: 2 })
  const core = createCoreDatabase({ connection: connection.core, poolSize: 2 })
  const client = createIsolateClient({
    links,
    codeCacheKey: keys.codeCache,
    log: ({ level, message }) => logger[level](message),
  })
  const webhooks = createWebhookClient({
    policy: {
      allowLoopback: settings.ALLOW_LOOPBACK_CALLBACKS,
      forbiddenPorts: new Set([settings.PORT, Number(credential.port), settings.METRICS_PORT ?? 0]),
    },
  })
  const cipher = createCipher(keys.data)
  const openSecret = (appId: string, sealed: Buffer) => openWebhookSecret(cipher, appId, sealed)
  let jail: RunnerJail | undefined
  return {
    context: {
      workshop,
      inBuildTurn: createBuildTurns(),
      withAppLock: createAppLock(credential),
      withAppLockForRollBack: createAppLock(credential),
      runnerJail: () => (jail ??= buildRunnerJail()),
      probeWebhook: createWebhookProbe({ system, post: webhooks.post, openSecret, clock }),
      settings,
      logger,
      provisioning,
      credential,
      system,
      core,
      client,
      database: credential.database,
      suffix: connection.suffix,
      keys,
      embedded,
      clock,
    },
    async close() {
      client.close()
      webhooks.close()
      jail?.remove()
      await Promise.all([provisioning.end(), system.end(), core.close()])
    },
  }
}

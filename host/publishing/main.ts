import { openPool } from '../database/open-pool.ts'
import type pg from 'pg'
import type { Settings } from '../config.ts'
import { createCoreDatabase } from '../database/core-database.ts'
import { type CoreConnection, prepareDatabase } from '../database/prepare.ts'
import { coreRoles } from '../database/roles.ts'
import { createWebhookClient } from '../events/webhook-client.ts'
import { openWebhookSecret } from '../events/webhook-secret.ts'
import { createIsolateClient } from '../isolates/client/client.ts'
import { buildJail, type Jail } from '../isolates/jail.ts'
import { linksFromSupervisor } from '../isolates/client/supervisor-links.ts'
import { createLogger } from '../log.ts'
import { prepareModuleDatabase } from '../module-database/prepare.ts'
import { raiseConnectionLimits } from '../module-database/provision.ts'
import { type Running, runAsChild } from '../processes/child-process.ts'
import { createCipher } from '../security/cipher.ts'
import { publisherKeys, webKeys } from '../security/keys.ts'
import { seedReferenceData, seedSandboxSchool } from '../seeds/seed.ts'
import type { Publication } from './publish.ts'
import { installInOwnSandbox } from './sandbox-installs.ts'
import { scheduleErasure } from './scheduled-erasure.ts'
import { announceCatalog } from '../events/catalog-change.ts'
import { publishCatalog } from '../../partner-services/scopes/published-catalog.ts'
import { removeRehearsals } from './migrations/rehearse.ts'
import { moduleRowMethods } from './module-rows.ts'
import type { PublisherContext } from './publisher-context.ts'
import type { PublishRequest } from './publish-version.ts'
import type { ReviewRequest } from './review-version.ts'
import type { SqlDraftRequest } from './guard-sql-draft.ts'
import { renewCodeCaches } from './renew-code-caches.ts'
import { runtimeConnections } from './runtime-connections.ts'
import { publishSamples, readSamplesAhead } from './samples.ts'
import type { Trial } from './try-in-sandbox.ts'
import { createWebhookProbe } from './webhook-probe.ts'
import { createWorkshop } from './workshop.ts'

/** What the supervisor starts the publisher with: the only process that gets the provisioning credential. */
export type PublisherStart = {
  settings: Settings
  credential: pg.ClientConfig & { database: string }
  hostKey: Uint8Array
  embedded: boolean
}

/** What the other processes need to know, and the walls that this database does not allow. */
export type Prepared = { connection: CoreConnection; missing: string[] }

const links = linksFromSupervisor(process)
const work = () => import('./work.ts')
const workshop = createWorkshop()

async function start({ settings, credential, hostKey: key, embedded }: PublisherStart): Promise<Running<Prepared>> {
  const logger = createLogger(settings)
  const hostKey = Buffer.from(key)
  const keys = webKeys(hostKey)
  const connection = await prepareDatabase(credential, {
    hostKey: keys.runtime,
    database: credential.database,
    embedded,
  })
  const provisioning = openPool({ ...credential, max: 3, idleTimeoutMillis: 10_000 })
  const missing = await prepareModules(provisioning, connection, { database: credential.database, settings })
  await removeRehearsals({ superuser: credential, suffix: connection.suffix })
  const system = openPool({ ...connection.system, max: 2 })
  const core = createCoreDatabase({ connection: connection.core, poolSize: 2 })
  await seedReferenceData(system)
  const school = seedSandboxSchool(core, keys.forms)
  // Whoever asks for it hears of a failure.
  school.catch(() => {})
  const client = createIsolateClient({
    links,
    codeCacheKey: keys.codeCache,
    log: ({ level, message }) => logger[level](message),
  })
  let jail: Jail | undefined
  const clock = () => new Date()
  const webhooks = createWebhookClient({
    policy: {
      allowLoopback: settings.ALLOW_LOOPBACK_CALLBACKS,
      forbiddenPorts: new Set([settings.PORT, Number(credential.port), settings.METRICS_PORT ?? 0]),
    },
  })
  const cipher = createCipher(keys.data)
  const openSecret = (appId: string, sealed: Buffer) => openWebhookSecret(cipher, appId, sealed)
  const context: PublisherContext = {
    workshop,
    runnerJail: () => (jail ??= buildJail()),
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
    keys: { ...keys, ...publisherKeys(hostKey) },
    embedded,
    clock,
  }
  const rows = moduleRowMethods(context)
  const withOwnSandbox = async <Result extends { slug: string; state: string }>(result: Result): Promise<Result> => {
    if (result.state === 'published') await installInOwnSandbox(context, result.slug)
    return result
  }
  const erasure = scheduleErasure(context, rows)
  const renewal = renewCodeCaches(context)
  const { version } = publishCatalog()
  await announceCatalog(system, cipher, clock(), version)
  return {
    answer: { connection, missing },
    methods: {
      publish: async (publication: Publication) => withOwnSandbox(await (await work()).publish(context, publication)),
      startReview: async (request: ReviewRequest) => (await work()).startReview(context, request),
      publishVersion: async (request: PublishRequest) =>
        withOwnSandbox(await (await work()).publishVersion(context, request)),
      tryInSandbox: async (trial: Trial) => (await work()).tryInSandbox(context, trial),
      migrationStatus: async ({ slug }: { slug: string }) => (await work()).moduleStatus(context, slug),
      saveSqlDraft: async (request: SqlDraftRequest) => (await work()).guardSqlDraft(context, request),
      schoolSeeded: () => school,
      publishSamples: () => publishSamples(context, school),
      ...rows,
    },
    async stop() {
      await Promise.all([erasure.stop(), renewal.stop()])
      client.close()
      webhooks.close()
      workshop.close()
      links.close()
      jail?.remove()
      await Promise.all([provisioning.end(), system.end(), core.close()])
    },
  }
}

runAsChild(start, { readSamplesAhead: async () => readSamplesAhead(workshop) })

/** The walls around modules, and the limits of those that are there. Gives the walls that are missing. */
async function prepareModules(
  provisioning: pg.Pool,
  { suffix }: CoreConnection,
  { database, settings }: { database: string; settings: Settings },
): Promise<string[]> {
  const { core, system } = coreRoles(suffix)
  const client = await provisioning.connect()
  try {
    const { missing } = await prepareModuleDatabase(client, { database, suffix, coreRoles: [core, system] })
    await raiseConnectionLimits(client, runtimeConnections(settings))
    return missing
  } finally {
    client.release()
  }
}

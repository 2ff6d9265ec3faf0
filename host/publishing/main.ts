import type pg from 'pg'
import { publishCatalog } from '../../partner-services/scopes/published-catalog.ts'
import type { SharedSettings } from '../config.ts'
import { openPool } from '../database/open-pool.ts'
import { type CoreConnection, prepareDatabase } from '../database/prepare.ts'
import { coreRoles } from '../database/roles.ts'
import { announceCatalog } from '../events/catalog-change.ts'
import { linksFromSupervisor } from '../isolates/client/supervisor-links.ts'
import { prepareModuleDatabase } from '../module-database/prepare.ts'
import { raiseConnectionLimits } from '../module-database/provision.ts'
import { schemaQuota } from '../module-database/schema-size.ts'
import { type Running, runAsChild } from '../processes/child-process.ts'
import type { Methods } from '../processes/rpc.ts'
import { createCipher } from '../security/cipher.ts'
import { webKeys } from '../security/keys.ts'
import { seedReferenceData, seedSandboxSchool } from '../seeds/seed.ts'
import type { SqlDraftRequest } from './guard-sql-draft.ts'
import { removeRehearsals } from './migrations/rehearse.ts'
import { moduleRowMethods } from './upkeep/module-rows.ts'
import { openContext } from './open-context.ts'
import type { Publication } from './publish.ts'
import { makeUpOwnSandboxes } from './upkeep/own-sandboxes.ts'
import { scheduleOwedRows } from './upkeep/owed-rows.ts'
import type { PublishRequest } from './publish-version.ts'
import type { PublisherContext } from './publisher-context.ts'
import { scheduleReclaiming } from './upkeep/reclaim-space.ts'
import { renewCodeCaches } from './upkeep/renew-code-caches.ts'
import type { ReviewRequest } from './review-version.ts'
import { runtimeConnections } from './runtime-connections.ts'
import { publishSamples, readSamplesAhead } from './samples/samples.ts'
import { installInOwnSandbox } from './samples/sandbox-installs.ts'
import { scheduleErasure } from './upkeep/scheduled-erasure.ts'
import type { RollBackAppRequest } from './roll-back-app.ts'
import type { Trial } from './try-in-sandbox.ts'
import { createWorkshop } from './source/workshop.ts'

/** What the supervisor starts the publisher with: the only process that gets the provisioning credential. */
export type PublisherStart = {
  settings: SharedSettings
  credential: pg.ClientConfig & { database: string }
  hostKey: Uint8Array
  embedded: boolean
}

/** What the other processes need to know, and the walls, in words, that this database and this system's builders lack. */
export type Prepared = { connection: CoreConnection; missing: string[]; missingOfBuilders: string[] }

const links = linksFromSupervisor(process)
const workshop = createWorkshop()

async function start(given: PublisherStart): Promise<Running<Prepared>> {
  const { settings, credential, embedded } = given
  const hostKey = Buffer.from(given.hostKey)
  const { database } = credential
  const connection = await prepareDatabase(credential, { hostKey: webKeys(hostKey).runtime, database, embedded })
  const provisioning = openPool({ ...credential, max: 3, idleTimeoutMillis: 10_000 })
  const missing = await prepareModules(provisioning, connection, { database, settings })
  await removeRehearsals({ superuser: credential, suffix: connection.suffix })
  const opened = { settings, credential, hostKey, embedded, connection, provisioning, links, workshop }
  const { context, close } = openContext(opened)
  const { system, core, keys, clock } = context
  await seedReferenceData(system)
  const school = seedSandboxSchool(core, keys.forms)
  // Whoever asks for it hears of a failure.
  school.catch(() => {})
  const rows = moduleRowMethods(context)
  const erasure = scheduleErasure(context, rows)
  const owed = scheduleOwedRows(context, rows)
  const reclaiming = scheduleReclaiming(context, schemaQuota)
  const renewal = renewCodeCaches(context)
  const sandboxes = makeUpOwnSandboxes(context, school)
  await announceCatalog(system, createCipher(keys.data), clock(), publishCatalog().version)
  return {
    answer: { connection, missing, missingOfBuilders: workshop.missingWalls() },
    methods: { ...methodsOf(context, school), ...rows },
    async stop() {
      await Promise.all([erasure.stop(), owed.stop(), reclaiming.stop(), renewal.stop(), sandboxes.stop()])
      await Promise.all([close(), workshop.close(), links.close()])
    },
  }
}

/** What the other processes ask for. Most starts need none of the work: it is loaded at the first such request. */
function methodsOf(context: PublisherContext, school: Promise<void>): Methods {
  const work = () => import('./work.ts')
  const withOwnSandbox = async <Result extends { slug: string; state: string }>(result: Result): Promise<Result> => {
    if (result.state === 'published') await installInOwnSandbox(context, result.slug)
    return result
  }
  return {
    publish: async (publication: Publication) => withOwnSandbox(await (await work()).publish(context, publication)),
    startReview: async (request: ReviewRequest) => (await work()).startReview(context, request),
    publishVersion: async (request: PublishRequest) =>
      withOwnSandbox(await (await work()).publishVersion(context, request)),
    rollBack: async (request: RollBackAppRequest) => (await work()).rollBackApp(context, request),
    tryInSandbox: async (trial: Trial) => (await work()).tryInSandbox(context, trial),
    migrationStatus: async ({ slug }: { slug: string }) => (await work()).moduleStatus(context, slug),
    saveSqlDraft: async (request: SqlDraftRequest) => (await work()).guardSqlDraft(context, request),
    schoolSeeded: () => school,
    publishSamples: () => publishSamples(context, school),
  }
}

runAsChild(start, { readSamplesAhead: async () => readSamplesAhead(workshop) })

/** The walls around modules, and the limits of those that are there. Gives the walls that are missing. */
async function prepareModules(
  provisioning: pg.Pool,
  { suffix }: CoreConnection,
  { database, settings }: { database: string; settings: SharedSettings },
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

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { createCoreDatabase } from '../../host/database/core-database.ts'
import type { PublisherContext } from '../../host/publishing/publisher-context.ts'
import { makeUpOwnSandboxes } from '../../host/publishing/upkeep/own-sandboxes.ts'
import { publisherKeys, webKeys } from '../../host/security/keys.ts'
import { seedReferenceData } from '../../host/seeds/seed.ts'
import { testHostKey } from '../support/cluster.ts'
import { createTestDatabase } from '../support/database.ts'
import { createSchool, installApp } from '../support/school.ts'
import { signedVersion } from '../support/signed-version.ts'

const database = await createTestDatabase()
const { admin, connection, superuser } = database
const system = new pg.Pool({ ...connection.system, max: 2 })
const provisioning = new pg.Pool({ ...superuser, max: 1 })
const core = createCoreDatabase({ connection: connection.core, poolSize: 1 })
after(async () => {
  await Promise.all([system.end(), provisioning.end(), core.close()])
  await database.drop()
})
const told: unknown[] = []
const logger = { info: ({ slug }: { slug: string }) => told.push(slug), warn: assert.fail }
const keys = { ...webKeys(testHostKey), ...publisherKeys(testHostKey) }
const used = { system, provisioning, core, keys, logger, clock: () => new Date(), credential: superuser, suffix: '' }
const makeUp = () => makeUpOwnSandboxes(used as unknown as PublisherContext, seedReferenceData(system)).done
const installedIn = async (slug: string) => {
  const { rows } = await admin.query<{ status: string }>(
    `select i.status from core.tenants t join core.installations i on i.tenant_id = t.id
      join core.apps a on a.id = i.app_id and a.slug = t.sandbox_of where a.slug = $1`,
    [slug],
  )
  return rows.map(({ status }) => status)
}

test('a published embedded app without a sandbox of its own gets it at the next start, once', async () => {
  const { slug } = await signedVersion(admin)
  await installApp(admin, await createSchool(admin))
  await makeUp()
  assert.deepEqual([told, await installedIn(slug)], [[slug], ['active']])
  await makeUp()
  await admin.query(`update core.installations set status = 'uninstalled', uninstalled_at = now()`)
  await makeUp()
  assert.deepEqual([told, await installedIn(slug)], [[slug], ['uninstalled']])
})

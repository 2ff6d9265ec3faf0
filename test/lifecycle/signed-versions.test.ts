import assert from 'node:assert/strict'
import { createPublicKey } from 'node:crypto'
import { after, test } from 'node:test'
import pg from 'pg'
import { ulid } from 'ulid'
import { createInstalledModules } from '../../host/embedded-apps/installed-modules.ts'
import { publicSigningKey } from '../../host/security/keys.ts'
import { testHostKey } from '../support/cluster.ts'
import { createTestDatabase } from '../support/database.ts'
import { signedVersion } from '../support/signed-version.ts'

const database = await createTestDatabase()
const system = new pg.Pool({ ...database.connection.system, max: 2 })
after(async () => {
  await system.end()
  await database.drop()
})
const live = { id: ulid(), number: 1, sandbox: false }
const sandbox = { ...live, sandbox: true }

/** What a fresh web process makes of it. */
const load = (versionId: string, tenant = live) =>
  createInstalledModules({
    system,
    publicKey: createPublicKey(publicSigningKey(testHostKey)),
    codeCacheMaker: 'this engine',
    epoch: { current: () => null, changed: () => 0 },
    clock: () => new Date(),
    report: assert.fail,
  }).loadBundle({ versionId, tenant, codeCached: false })

// Before the first test: one that ends while the file waits ends the file's database too.
const other = (await signedVersion(database.admin)).hash

test('a signed version is loaded, however the database orders its manifest', async () => {
  const { id, hash } = await signedVersion(database.admin)
  assert.equal((await load(id)).hash, hash)
})

for (const [what, change] of [
  ['unsigned', 'signature = null'],
  ['signed by another', `signature = decode(repeat('ab', 64), 'hex')`],
  ['labelled with another manifest', `manifest = jsonb_set(manifest, '{egress}', '[{"host":"evil.example"}]')`],
  ['labelled with other contributions', `contributions = '{"routes":["GET /admin"]}'`],
  ['labelled as another version', `version = '9.9.9'`],
  ['labelled as another app’s', `app_id = (select id from core.apps where id <> app_id limit 1), version = '7.0.0'`],
  ['labelled with another app’s code', `bundle_hash = '${other}'`],
  ['labelled as scanned otherwise', `scan_verdict = 'warnings'`],
  ['labelled as reviewed otherwise', `review_verdict = 'sandbox'`],
] as const) {
  test(`a version that is ${what} is never given to a runner`, async () => {
    const { id } = await signedVersion(database.admin)
    await database.admin.query(`update core.app_versions set ${change} where id = $1`, [id])
    await assert.rejects(load(id), /lacks a valid signature/)
  })
}

test('a version whose app goes by another name is never given to a runner', async () => {
  const { id } = await signedVersion(database.admin)
  const renamed = `update core.apps set slug = slug || '_x' where id = (select app_id from core.app_versions where id = $1)`
  await database.admin.query(renamed, [id])
  await assert.rejects(load(id), /lacks a valid signature/)
})

test('code that was altered is never given to a runner', async () => {
  const { id, hash } = await signedVersion(database.admin)
  await database.admin.query(`update core.app_bundles set code = code || ' ' where hash = $1`, [hash])
  await assert.rejects(load(id), /lacks a valid signature/)
})

test('what nobody reviewed runs for sandbox tenants only, also once it is known', async () => {
  const { id, hash } = await signedVersion(database.admin, { review: 'sandbox' })
  assert.equal((await load(id, sandbox)).hash, hash)
  await assert.rejects(load(id), /sandbox tenants only/)
  await database.admin.query(`update core.app_versions set review_verdict = 'approved' where id = $1`, [id])
  await assert.rejects(load(id, sandbox), /lacks a valid signature/)
})

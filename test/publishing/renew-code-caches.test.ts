import assert from 'node:assert/strict'
import { createPublicKey } from 'node:crypto'
import { after, test } from 'node:test'
import pg from 'pg'
import { ulid } from 'ulid'
import { createInstalledModules } from '../../host/embedded-apps/installed-modules.ts'
import { codeCacheMaker, openCodeCache } from '../../host/isolates/code-cache.ts'
import { buildRunnerJail } from '../../host/isolates/runner-jail.ts'
import type { PublisherContext } from '../../host/publishing/publisher-context.ts'
import { renewCodeCaches } from '../../host/publishing/upkeep/renew-code-caches.ts'
import { publicSigningKey, publisherKeys, webKeys } from '../../host/security/keys.ts'
import { testHostKey } from '../support/cluster.ts'
import { createTestDatabase } from '../support/database.ts'
import { createSchool } from '../support/school.ts'
import { type SignedVersion, signedVersion } from '../support/signed-version.ts'

const database = await createTestDatabase()
const system = new pg.Pool({ ...database.connection.system, max: 2 })
const jail = buildRunnerJail()
after(async () => {
  jail.remove()
  await system.end()
  await database.drop()
})
const keys = { ...webKeys(testHostKey), ...publisherKeys(testHostKey) }
const maker = codeCacheMaker(keys.codeCache)
const school = await createSchool(database.admin)

/** What a start warns of and tells. */
async function renew(
  whileRunning: (renewal: ReturnType<typeof renewCodeCaches>) => unknown = () => {},
  withKeys = keys,
): Promise<string[]> {
  const told: string[] = []
  const logger = {
    info: ({ renewed }: { renewed: number }) => told.push(`renewed ${renewed}`),
    warn: ({ err }: { err: Error }) => told.push(err.message),
  }
  const renewal = renewCodeCaches({
    system,
    keys: withKeys,
    runnerJail: () => jail,
    logger,
  } as unknown as PublisherContext)
  await whileRunning(renewal)
  await renewal.done
  return told
}

/** Installed at the school, with a code cache that another engine made. */
async function installed(code: string): Promise<SignedVersion> {
  const version = await signedVersion(database.admin, { code })
  await database.admin.query(
    `insert into core.installations (tenant_id, id, app_id, version_id, granted_scopes, rate_limited) values ($1, $2, $3, $4, '{}', false)`,
    [school.id, ulid(), version.appId, version.id],
  )
  await database.admin.query(`insert into core.code_caches (bundle_hash, maker, cache) values ($1, 'old', 'old')`, [
    version.hash,
  ])
  return version
}
/** Makers of the caches that there are, ours first. */
const makersOf = async ({ hash }: SignedVersion): Promise<string[]> => {
  const text = 'select maker from core.code_caches where bundle_hash = $1 order by maker = $2 desc, maker'
  return (await database.admin.query(text, [hash, maker])).rows.map((row) => row.maker)
}
const uninstall = ({ id }: SignedVersion) =>
  database.admin.query(`update core.installations set status = 'uninstalled' where version_id = $1`, [id])

test('a cache of another engine is left aside, one for ours made at the next start, and used from then on', async () => {
  const version = await installed('/* first */ for (;;);')
  const modules = createInstalledModules({
    system,
    publicKey: createPublicKey(publicSigningKey(testHostKey)),
    codeCacheMaker: maker,
    epoch: { current: () => null, changed: () => 0 },
    clock: () => new Date(),
    report: assert.fail,
  })
  const load = async () => modules.loadBundle((await modules.find(school.id, version.slug))!)
  assert.equal((await load()).codeCache, undefined)

  assert.deepEqual(await renew(), ['renewed 1'])
  assert.deepEqual(await makersOf(version), [maker, 'old'])
  assert.ok(openCodeCache((await load()).codeCache!, version.hash, keys.codeCache))

  assert.deepEqual(await renew(), [])
})

test('one that cannot be made is told of, and the others are made', async () => {
  const broken = await installed('{ does not compile')
  const changed = await installed('/* changed */')
  await database.admin.query(`update core.app_bundles set code = '/* by hand */' where hash = $1`, [changed.hash])
  const good = await installed('/* good */')

  const told = await renew()
  assert.equal(told.length, 3)
  assert.ok(told.some((line) => line.startsWith('the bundle does not compile')))
  assert.ok(told.includes('the stored code is not what its hash says'))
  assert.ok(told.includes('renewed 1'))
  assert.deepEqual(await makersOf(good), [maker, 'old'])
  for (const version of [broken, changed]) {
    assert.deepEqual(await makersOf(version), ['old'])
    await uninstall(version)
  }
})

test('what no school has is left as it is, and a host that stops waits for none', async () => {
  const gone = await installed('/* gone */')
  await uninstall(gone)
  const waiting = await installed('/* waiting */')
  assert.deepEqual(await renew((renewal) => renewal.stop()), [])
  assert.deepEqual(await makersOf(waiting), ['old'])
  assert.deepEqual(await renew(), ['renewed 1'])
  assert.deepEqual(await makersOf(gone), ['old'])
})

test('hosts of two engines on one database keep a cache each, whichever starts last', async () => {
  const version = await installed('/* two engines */')
  // A maker names the engine and the key: another key stands for another Node.
  const other = { ...keys, codeCache: Buffer.alloc(32, 9) }
  assert.deepEqual(await renew(), ['renewed 1'])
  assert.equal((await renew(() => {}, other)).length, 1)
  assert.deepEqual(await renew(), [])
  assert.deepEqual(await renew(() => {}, other), [])
  assert.deepEqual(new Set(await makersOf(version)), new Set([maker, codeCacheMaker(other.codeCache), 'old']))
})

import assert from 'node:assert/strict'
import { createPublicKey } from 'node:crypto'
import { after, test } from 'node:test'
import pg from 'pg'
import { ulid } from 'ulid'
import { createInstalledModules } from '../../host/embedded-apps/installed-modules.ts'
import { codeCacheMaker, openCodeCache } from '../../host/isolates/code-cache.ts'
import { buildJail } from '../../host/isolates/jail.ts'
import type { PublisherContext } from '../../host/publishing/publisher-context.ts'
import { renewCodeCaches } from '../../host/publishing/renew-code-caches.ts'
import { publicSigningKey, publisherKeys, webKeys } from '../../host/security/keys.ts'
import { testHostKey } from '../support/cluster.ts'
import { createTestDatabase } from '../support/database.ts'
import { createSchool } from '../support/school.ts'
import { type SignedVersion, signedVersion } from '../support/signed-version.ts'

const database = await createTestDatabase()
const system = new pg.Pool({ ...database.connection.system, max: 2 })
const jail = buildJail()
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
): Promise<string[]> {
  const told: string[] = []
  const logger = {
    info: ({ renewed }: { renewed: number }) => told.push(`renewed ${renewed}`),
    warn: ({ err }: { err: Error }) => told.push(err.message),
  }
  const renewal = renewCodeCaches({ system, keys, runnerJail: () => jail, logger } as unknown as PublisherContext)
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
  await database.admin.query(
    `update core.app_bundles set code_cache = 'old', code_cache_maker = 'old' where hash = $1`,
    [version.hash],
  )
  return version
}
const stored = async ({ hash }: SignedVersion): Promise<{ code_cache: Buffer; code_cache_maker: string }> =>
  (await database.admin.query('select code_cache, code_cache_maker from core.app_bundles where hash = $1', [hash]))
    .rows[0]
const uninstall = ({ id }: SignedVersion) =>
  database.admin.query(`update core.installations set status = 'uninstalled' where version_id = $1`, [id])

test('a cache of another engine is left aside, made again at the next start, and used from then on', async () => {
  const version = await installed('/* first */ for (;;);')
  const modules = createInstalledModules({
    system,
    publicKey: createPublicKey(publicSigningKey(testHostKey)),
    codeCacheMaker: maker,
    epoch: { current: () => null },
    clock: () => new Date(),
    report: assert.fail,
  })
  const load = async () => modules.loadBundle((await modules.find(school.id, version.slug))!)
  assert.equal((await load()).codeCache, undefined)

  assert.deepEqual(await renew(), ['renewed 1'])
  const { code_cache, code_cache_maker } = await stored(version)
  assert.equal(code_cache_maker, maker)
  assert.ok(openCodeCache(code_cache, version.hash, keys.codeCache))
  assert.deepEqual((await load()).codeCache, code_cache)

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
  assert.equal((await stored(good)).code_cache_maker, maker)
  for (const version of [broken, changed]) {
    assert.equal((await stored(version)).code_cache_maker, 'old')
    await uninstall(version)
  }
})

test('what no school has is left as it is, and a host that stops waits for none', async () => {
  const gone = await installed('/* gone */')
  await uninstall(gone)
  const waiting = await installed('/* waiting */')
  assert.deepEqual(await renew((renewal) => renewal.stop()), [])
  assert.equal((await stored(waiting)).code_cache_maker, 'old')
  assert.deepEqual(await renew(), ['renewed 1'])
  assert.equal((await stored(gone)).code_cache_maker, 'old')
})

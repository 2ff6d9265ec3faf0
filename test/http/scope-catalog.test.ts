import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { operations } from '../../partner-services/registry.ts'
import { scopeCatalog } from '../../partner-services/scopes/catalog.ts'
import { publishedCatalog } from '../../partner-services/scopes/published-catalog.ts'
import { checkRegistry } from '../../partner-services/service/registry-check.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { startWeb, type TestWeb } from '../support/web.ts'

let database: TestDatabase
let web: TestWeb

before(async () => {
  database = await createTestDatabase()
  web = await startWeb(database)
})

after(async () => {
  await web?.close()
  await database?.drop()
})

const path = '/partners/api/partners/permissions/catalog'

test('the published catalog holds every scope once, grouped and labelled in both languages', async () => {
  const { status, body } = await web.call(path)
  assert.equal(status, 200)
  const { features } = publishedCatalog.parse(body)
  const resources = features.flatMap((feature) => feature.resources)
  for (const { key, label_ar, label_en } of [...features, ...resources]) assert.ok(label_ar && label_en, key)
  const scopes = resources.flatMap((resource) => resource.scopes)
  assert.deepEqual(scopes.map(({ key }) => key).sort(), scopeCatalog.map(({ key }) => key).sort())
  for (const scope of scopes) assert.ok(scope.description_ar && scope.description_en, scope.key)
  assert.deepEqual(
    scopes
      .filter((scope) => scope.public_surface)
      .map(({ key }) => key)
      .sort(),
    ['countries.directory.read', 'countries.education_levels.read', 'education.grades.read'],
  )
})

test('an unchanged catalog is not sent again', async () => {
  const etag = (await web.call(path)).headers.get('etag')!
  const again = await web.call(path, { headers: { 'if-none-match': `"other", W/${etag}` } })
  assert.deepEqual([again.status, again.body], [304, ''])
})

test('an operation whose scope is not in the catalog does not start', () => {
  const [whoami] = operations
  assert.throws(() => checkRegistry([{ ...whoami!, scope: 'education.marks.read' }]), /education\.marks\.read/)
})

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ulid } from 'ulid'
import type { AppRecord } from '../../host/lifecycle/records.ts'
import type { PublisherContext } from '../../host/publishing/publisher-context.ts'
import type { Manifest } from '../../host/publishing/source/read-manifest.ts'
import { draftName } from '../../host/publishing/version/draft-name.ts'
import { publishApp, publishVersion } from '../installations/support.ts'
import { createTestDatabase } from '../support/database.ts'

const database = await createTestDatabase()
after(() => database.drop())

test('a sample’s source that comes back after another one had its place gets a name that is free', async () => {
  const platform = { database, system: database.admin }
  const app = await publishApp(platform)
  const given = { renameTaken: true, sourceHash: 'abcdef0123456789' }
  const name = () =>
    draftName(
      { system: database.admin } as unknown as PublisherContext,
      app as unknown as AppRecord,
      { version: '1.0.0' } as Manifest,
      given,
    )
  for (const free of ['1.0.0+abcdef01', '1.0.0+abcdef01.2', '1.0.0+abcdef01.3']) {
    assert.equal(await name(), free)
    await publishVersion(platform, app.id, free, [])
  }
  const draft = `insert into core.app_versions (id, app_id, version, state, manifest) values ($1, $2, $3, 'draft', '{}')`
  await database.admin.query(draft, [ulid(), app.id, await name()])
  assert.equal(await name(), '1.0.0+abcdef01.4', 'a draft is edited')
})

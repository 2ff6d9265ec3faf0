import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { registerLifecycle } from '../../host/lifecycle/http/register.ts'
import { type Platform, startPlatform } from '../events/support.ts'
import { rollingBack } from '../support/rolling-back.ts'
import { publishApp, publishVersion, standardScopes } from '../installations/support.ts'

test('a roll-back that was made is told, though the database goes away before every process has confirmed: repeated, it takes back one more', async () => {
  const away = new pg.Pool()
  await away.end()
  const platform: Platform = await startPlatform(undefined, (server, { system }) => {
    const withoutEpoch: pg.Pool = Object.create(system, {
      query: {
        value: (asked: string | { text: string }, values?: unknown[]) =>
          (JSON.stringify(asked).includes('token_epoch') ? away : system).query(asked as string, values),
      },
    })
    void registerLifecycle(server, '/partners', {
      ...{ system, clock: () => new Date() },
      publisher: {
        call: (...asked) => rollingBack(platform.database, { system: withoutEpoch }).call(...asked),
      },
      actorOf: async () => ({ kind: 'operator' }),
    })
  })
  const app = await publishApp(platform)
  await publishVersion(platform, app.id, '1.1.0', standardScopes)
  const answer = await fetch(`${platform.url}/partners/api/apps/${app.slug}/rollback`, { method: 'POST' })
  assert.deepEqual([answer.status, await answer.json()], [200, { version: '1.0.0', rolled_back: '1.1.0', moved: 0 }])
  await platform.close()
})

test('a roll-back that names its version takes back that one only, however often it is asked for', async (t) => {
  const platform: Platform = await startPlatform(undefined, (server, { system }) => {
    void registerLifecycle(server, '/partners', {
      ...{ system, clock: () => new Date() },
      publisher: { call: (...asked) => rollingBack(platform.database).call(...asked) },
      actorOf: async () => ({ kind: 'operator' }),
    })
  })
  t.after(() => platform.close())
  const app = await publishApp(platform)
  for (const version of ['1.1.0', '1.2.0']) await publishVersion(platform, app.id, version, standardScopes)
  const rollBack = async (body: object) => {
    const headers = { 'content-type': 'application/json' }
    const url = `${platform.url}/partners/api/apps/${app.slug}/rollback`
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
    const { error, rolled_back } = (await answer.json()) as { error?: string; rolled_back?: string }
    return error ?? rolled_back
  }
  assert.equal(await rollBack({ version: '1.1.0' }), 'invalid_state')
  assert.equal(await rollBack({ version: '1.2.0' }), '1.2.0')
  assert.equal(await rollBack({ version: '1.2.0' }), 'invalid_state')
  assert.equal(await rollBack({ vresion: '1.1.0' }), 'invalid_data')
  assert.equal(await rollBack({}), '1.1.0')
})

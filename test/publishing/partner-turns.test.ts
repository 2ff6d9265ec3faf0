import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { readSettings, withoutSecrets } from '../../host/config.ts'
import { openPool } from '../../host/database/open-pool.ts'
import { createAppLock } from '../../host/publishing/app-lock.ts'
import { createBuildTurns } from '../../host/publishing/build-turns.ts'
import { openContext } from '../../host/publishing/open-context.ts'
import { rollBackApp } from '../../host/publishing/roll-back-app.ts'
import { createWorkshop } from '../../host/publishing/source/workshop.ts'
import { testHostKey } from '../support/cluster.ts'
import { createTestDatabase } from '../support/database.ts'

const database = await createTestDatabase()
after(() => database.drop())

/** Work that goes on until it is let go. */
function held() {
  let release = () => {}
  const gate = new Promise<void>((done) => {
    release = done
  })
  return { work: () => gate, release: () => release() }
}

test('however many ask for an app that is being published, or for other apps, few sessions wait', async () => {
  const withAppLock = createAppLock(database.superuser)
  const sessions = async () => {
    const { rows } = await database.admin.query<{ sessions: number }>(
      `select count(*)::int as sessions from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    )
    return rows[0]!.sessions
  }
  const { work, release } = held()
  const first = withAppLock('victim', work)
  const rest = Array.from({ length: 50 }, () => withAppLock('victim', async () => 'in its turn'))
  const others = Array.from({ length: 20 }, (_, index) => withAppLock(`other${index}`, sessions))
  const seen = await Promise.all(others)
  release()
  await first
  assert.deepEqual(new Set(await Promise.all(rest)), new Set(['in its turn']))
  // Four, the counting pool's four, and those that end at this moment.
  assert.ok(Math.max(...seen) < 20, `${seen} sessions`)
})

test('a roll-back waits behind the publishing of its own app, and behind none of other apps', {
  timeout: 20_000,
}, async (t) => {
  const { superuser, connection, admin } = database
  const workshop = createWorkshop()
  const { context, close } = openContext({
    settings: withoutSecrets(readSettings({})),
    ...{ credential: superuser, hostKey: testHostKey, embedded: true, connection, workshop },
    provisioning: openPool({ ...superuser, max: 3 }),
    links: { subscribe: () => () => {}, condemn: () => {} },
  })
  const { work, release } = held()
  const publishing: Promise<void>[] = []
  t.after(async () => {
    release()
    await Promise.all(publishing)
    await Promise.all([close(), workshop.close()])
  })
  const begun = (slug: string) =>
    new Promise<void>((begins) => {
      publishing.push(
        context.withAppLock(slug, () => {
          begins()
          return work()
        }),
      )
    })
  await Promise.all(['one', 'two', 'three', 'own'].map(begun))
  for (const slug of ['own', 'apart']) {
    await admin.query(
      `insert into core.apps (id, slug, integration_type, display_name) values ($1, $1, 'embedded', 'App')`,
      [slug],
    )
    await admin.query(
      `insert into core.app_versions (id, app_id, version, state, manifest, published_at)
        select $1 || v, $1, v, 'published', '{"displayName":"App","scopes":[]}', now() + i * interval '1 second'
          from unnest(array['1.0.0', '1.1.0']) with ordinality as u (v, i)`,
      [slug],
    )
  }
  const ended: string[] = []
  const rollBack = async (slug: string) => {
    const { rolled_back } = await rollBackApp(context, { actor: { kind: 'operator' }, slug })
    ended.push(`${slug} ${rolled_back}`)
  }
  const own = rollBack('own')
  await rollBack('apart')
  assert.deepEqual(ended, ['apart 1.1.0'])
  release()
  await own
  assert.deepEqual(ended, ['apart 1.1.0', 'own 1.1.0'])
})

test('a partner’s builds take turns, and more than a few waiting are refused; the operator’s wait for none', async () => {
  const inTurn = createBuildTurns()
  const build = { ...held(), running: 0, most: 0 }
  const work = async () => {
    build.most = Math.max(build.most, ++build.running)
    await build.work()
    build.running--
  }
  const one = { kind: 'partner', partnerId: 'one' } as const
  const refused: string[] = []
  const ask = () => inTurn(one, work).catch((error) => refused.push(error.code))
  const asked = Array.from({ length: 8 }, ask)
  await new Promise(setImmediate)
  const alone = build.most
  const others = ['two', 'three', 'four'].map((partnerId) => inTurn({ kind: 'partner', partnerId }, work))
  assert.equal(await inTurn({ kind: 'operator' }, async () => 'at once'), 'at once')
  build.release()
  await Promise.all([...asked, ...others])
  assert.deepEqual(refused, ['rate_limited', 'rate_limited', 'rate_limited'])
  assert.deepEqual([alone, build.most], [1, 2])
  assert.equal(await inTurn(one, async () => 'again'), 'again')
})

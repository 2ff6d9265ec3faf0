import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ulid } from 'ulid'
import { inTransaction } from '../../host/database/in-transaction.ts'
import { installApp } from '../../host/installations/install.ts'
import { narrowScopes } from '../../host/installations/narrow.ts'
import { findApp, publishedVersions } from '../../host/lifecycle/records.ts'
import { moveInstallationsBack } from '../../host/lifecycle/move-installations.ts'
import { rollBack } from '../../host/lifecycle/rollback.ts'
import { createAppLock } from '../../host/publishing/app-lock.ts'
import { publishVersion } from '../../host/publishing/publish-version.ts'
import type { PublisherContext } from '../../host/publishing/publisher-context.ts'
import { installationOf, type Portal, publishApp, standardScopes, startPortal } from '../installations/support.ts'
import { createSchool, type School } from '../support/school.ts'

/** After every moment that the database writes by itself. */
let now = Date.now() + 3_600_000
const clock = () => new Date(now)
/** As on another host, whose clock is a minute behind. */
const behind = () => {
  now -= 60_000
}
const operator = { kind: 'operator' } as const
let portal: Portal
let school: School
before(async () => {
  portal = await startPortal(clock)
  school = await createSchool(portal.database.admin)
})
after(() => portal?.close())

async function publish(app: { id: string; slug: string }, version: string, scopes: object[]): Promise<void> {
  await portal.database.admin.query(
    `insert into core.app_versions (id, app_id, version, state, manifest) values ($1, $2, $3, 'approved', $4)`,
    [ulid(), app.id, version, { displayName: 'Registrar', scopes }],
  )
  const used = { system: portal.system, clock, keys: {}, withAppLock: createAppLock(portal.database.superuser) }
  await publishVersion(used as unknown as PublisherContext, { actor: operator, slug: app.slug, version })
}
const install = ({ slug }: { slug: string }, scopes?: string[]) =>
  installApp(portal.context, slug, { tenantId: school.id, accountId: null, scopes })

async function takeBack({ slug }: { slug: string }): Promise<string> {
  const app = await findApp(portal.system, operator, slug)
  return inTransaction(portal.system, async (db) => {
    const rolled = await rollBack(db, { actor: operator, app, now: clock() })
    await moveInstallationsBack(db, app, rolled)
    return rolled.from.version
  })
}

test('the version that was published last is current, though the clock was behind', async () => {
  const app = await publishApp(portal)
  await publish(app, '1.1.0', standardScopes)
  behind()
  await publish(app, '1.2.0', standardScopes)
  const { installationId } = await install(app)
  assert.equal((await publishedVersions(portal.system, app))[0]!.version, '1.2.0')
  assert.equal((await installationOf(portal, school, installationId)).version, '1.2.0')
  assert.equal(await takeBack(app), '1.2.0')
})

test('what a school decided last counts, and no version before it, though the clock was behind', async () => {
  const [required, optional] = standardScopes
  const app = await publishApp(portal, { scopes: standardScopes })
  const { installationId } = await install(app)
  behind()
  const of = { tenantId: school.id, installationId, accountId: null }
  await narrowScopes(portal.context, { ...of, scopes: [required!.key] })
  await publish(app, '1.1.0', [required!])
  assert.equal(await takeBack(app), '1.1.0')
  const granted = async () => (await installationOf(portal, school, installationId)).granted_scopes
  assert.deepEqual(await granted(), [required!.key])

  await install(app, [required!.key, optional!.key])
  behind()
  await publish(app, '1.2.0', [required!])
  behind()
  await publish(app, '1.3.0', [required!, optional!])
  behind()
  await publish(app, '1.4.0', [required!])
  assert.equal(await takeBack(app), '1.4.0')
  assert.deepEqual(await granted(), [required!.key], 'a version after the consent did not ask for it')
  behind()
  await install(app, [required!.key, optional!.key])
  await publish(app, '1.5.0', [required!])
  assert.equal(await takeBack(app), '1.5.0')
  assert.deepEqual(await granted(), [required!.key, optional!.key], 'every version since the consent asked for it')
})

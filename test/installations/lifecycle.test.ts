import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ulid } from 'ulid'
import { installApp } from '../../host/installations/install.ts'
import { narrowScopes } from '../../host/installations/narrow.ts'
import { uninstallApp } from '../../host/installations/uninstall.ts'
import { findApp } from '../../host/lifecycle/records.ts'
import { moveInstallations, moveInstallationsBack } from '../../host/lifecycle/move-installations.ts'
import { rollBack } from '../../host/lifecycle/rollback.ts'
import { inTransaction } from '../../host/database/in-transaction.ts'
import { NotFoundException, ServiceError } from '../../partner-services/service/errors.ts'
import { createTestClock } from '../events/support.ts'
import { createSchool, type School } from '../support/school.ts'
import {
  formTokenFor,
  installationOf,
  type Portal,
  publishApp,
  publishVersion,
  standardScopes,
  startPortal,
} from './support.ts'

let portal: Portal
let school: School
const clock = createTestClock()

before(async () => {
  portal = await startPortal(clock.now)
  school = await createSchool(portal.database.admin)
})

after(() => portal?.close())

const approval = (scopes?: string[]) => ({ tenantId: school.id, accountId: null, scopes })
const granted = (id: string) => installationOf(portal, school, id)

/** For a lock of this database. */
async function untilSomebodyWaits(): Promise<void> {
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  while (!(await portal.database.admin.query(waiting)).rowCount) await new Promise((done) => setTimeout(done, 1))
}

test('a version that asks for more keeps the old version and grant until it is approved', async () => {
  const app = await publishApp(portal)
  const { installationId: id } = await installApp(portal.context, app.slug, approval(['education.students.read']))
  const more = [...standardScopes, { key: 'education.guardians.read', required: true, reason: 'Calls guardians' }]
  assert.equal(await publishVersion(portal, app.id, '2.0.0', more), 0)
  const waiting = await granted(id)
  assert.deepEqual([waiting.version, waiting.granted_scopes], ['1.0.0', ['education.students.read']])
  assert.equal(waiting.pending!.version, '2.0.0')
  assert.ok(waiting.pending!.scopes.some(({ key, required }) => key === 'education.guardians.read' && required))
  await assert.rejects(installApp(portal.context, app.slug, approval(['education.students.read'])))
  const approved = ['education.students.read', 'education.guardians.read']
  assert.equal((await installApp(portal.context, app.slug, approval(approved))).installationId, id)
  assert.deepEqual([(await granted(id)).version, (await granted(id)).granted_scopes], ['2.0.0', approved])
})

test('a version that asks for less moves by itself and drops what it no longer asks for', async () => {
  const app = await publishApp(portal)
  const { installationId: id } = await installApp(portal.context, app.slug, approval())
  assert.equal(await publishVersion(portal, app.id, '1.1.0', standardScopes.slice(0, 1)), 1)
  assert.deepEqual((await granted(id)).granted_scopes, ['education.students.read'])
})

/** Takes the newest version back, as the portal does. Answers how many installations moved. */
async function takeBack({ slug }: { slug: string }): Promise<number> {
  const actor = { kind: 'operator' } as const
  const record = await findApp(portal.system, actor, slug)
  return inTransaction(portal.system, async (db) =>
    moveInstallationsBack(db, record, await rollBack(db, { actor, app: record, now: clock.now() })),
  )
}

const [read, write, faces] = ['education.students.read', 'education.students.write', 'education.face_embeddings.read']
const both = [
  { key: read!, required: true, reason: 'Mirrors students' },
  { key: write!, required: true, reason: 'Sends corrections' },
]

test('a roll-back gives again what the version taken back no longer asked for, and the schools move', async () => {
  const app = await publishApp(portal, { partnerId: 'p1', scopes: both })
  const { installationId: id } = await installApp(portal.context, app.slug, approval())
  assert.equal(await publishVersion(portal, app.id, '1.1.0', both), 1)
  assert.equal(await publishVersion(portal, app.id, '2.0.0', both.slice(0, 1)), 1)
  assert.deepEqual((await granted(id)).granted_scopes, [read])
  assert.equal(await takeBack(app), 1)
  assert.deepEqual([(await granted(id)).version, (await granted(id)).granted_scopes], ['1.1.0', [read, write]])
})

test('a roll-back gives nothing that the school took or never gave', async () => {
  const optional = [both[0]!, { ...both[1]!, required: false }, { key: faces!, required: false, reason: 'Gates' }]
  const app = await publishApp(portal, { partnerId: 'p1', scopes: optional })
  const { installationId: id } = await installApp(portal.context, app.slug, approval([read!, write!]))
  const change = { tenantId: school.id, installationId: id, accountId: null }
  await narrowScopes(portal.context, { ...change, scopes: [read!] })
  await publishVersion(portal, app.id, '2.0.0', both.slice(0, 1))
  assert.equal(await takeBack(app), 1)
  assert.deepEqual([(await granted(id)).version, (await granted(id)).granted_scopes], ['1.0.0', [read]])
})

test('a school that installs while a version is taken back gets the version before', async () => {
  const app = await publishApp(portal, { partnerId: 'p1' })
  await publishVersion(portal, app.id, '2.0.0', standardScopes)
  const { admin, system } = { admin: portal.database.admin, system: portal.system }
  const record = await findApp(system, { kind: 'operator' }, app.slug)
  let installing: Promise<{ installationId: string }> | undefined
  await inTransaction(admin, async (db) => {
    await rollBack(db, { actor: { kind: 'operator' }, app: record, now: clock.now() })
    installing = installApp(portal.context, app.slug, approval())
    await untilSomebodyWaits()
  })
  const { installationId } = await installing!
  assert.equal((await granted(installationId)).version, '1.0.0')
})

test('a version that many schools get raises the epoch of tokens once', async () => {
  const { admin } = portal.database
  const app = await publishApp(portal)
  for (let count = 0; count < 3; count++)
    await installApp(portal.context, app.slug, { ...approval(), tenantId: (await createSchool(admin)).id })
  const epoch = async () => Number((await admin.query('select number from core.token_epoch')).rows[0].number)
  const before = await epoch()
  assert.equal(await publishVersion(portal, app.id, '1.1.0', standardScopes), 3)
  assert.equal(await epoch(), before + 1)
  assert.equal(await publishVersion(portal, app.id, '1.2.0', standardScopes), 3)
  assert.equal(await epoch(), before + 2)
})

test('an administrator narrows optional scopes, never below what is required, and never adds any', async () => {
  const app = await publishApp(portal)
  const { installationId: id, token } = await installApp(portal.context, app.slug, approval())
  const narrow = async (scopes: string[]) =>
    portal.call(`/partners/api/school/installations/${id}`, {
      ...{ method: 'PATCH', as: school.id, json: { scopes } },
      headers: { 'x-form-token': await formTokenFor(portal, school) },
    })
  assert.equal((await narrow(['education.students.write'])).status, 422)
  assert.equal((await narrow(['education.students.read', 'education.guardians.read'])).status, 422)
  assert.equal((await narrow(['education.students.read'])).status, 200)
  const whoami = await portal.call('/apps/whoami', { headers: { authorization: `Bearer ${token}` } })
  assert.deepEqual(whoami.body.scopes, ['education.students.read'])
  const forged = await portal.call(`/partners/api/school/installations/${id}`, { method: 'DELETE', as: school.id })
  assert.equal(forged.status, 419)
  const change = { tenantId: school.id, installationId: id, accountId: null }
  const other = { ...change, tenantId: (await createSchool(portal.database.admin)).id }
  const scopes = ['education.students.read']
  await assert.rejects(narrowScopes(portal.context, { ...other, scopes }), NotFoundException)
  await assert.rejects(uninstallApp(portal.context, other), NotFoundException)
  await uninstallApp(portal.context, change)
  await assert.rejects(narrowScopes(portal.context, { ...change, scopes }), NotFoundException)
})

test('a school that narrows while its installation moves keeps what the new version requires', async () => {
  const app = await publishApp(portal)
  const { admin } = portal.database
  const { installationId } = await installApp(portal.context, app.slug, approval())
  const id = ulid()
  const manifest = { scopes: standardScopes.map((scope) => ({ ...scope, required: true })) }
  await admin.query(
    `insert into core.app_versions (id, app_id, version, state, manifest, published_at) values ($1, $2, '1.1.0', 'published', $3, clock_timestamp())`,
    [id, app.id, manifest],
  )
  let narrowing: Promise<unknown> | undefined
  await inTransaction(admin, async (db) => {
    assert.equal(await moveInstallations(db, app, { id, manifest }), 1)
    narrowing = narrowScopes(portal.context, { ...approval([]), installationId, scopes: [] }).catch(
      (error: ServiceError) => error.details,
    )
    await untilSomebodyWaits()
  })
  assert.deepEqual(await narrowing, { errors: { scopes: standardScopes.map(({ key }) => `${key} is required`) } })
})

test('an approval, a narrowing and an uninstalling end when every web process has confirmed them', async () => {
  const app = await publishApp(portal)
  const { installationId } = await installApp(portal.context, app.slug, approval())
  let confirmed = 0
  const context = { ...portal.context, grantsChanged: async () => void confirmed++ }
  await installApp(context, app.slug, approval())
  assert.equal(confirmed, 1)
  const change = { tenantId: school.id, installationId, accountId: null }
  await narrowScopes(context, { ...change, scopes: ['education.students.read'] })
  assert.equal(confirmed, 2)
  await uninstallApp(context, change)
  assert.equal(confirmed, 3)
})

test('a school installs no app that was stopped, and none by itself that asks for its consent', async () => {
  const stopped = await publishApp(portal)
  await portal.database.admin.query(`update core.apps set disabled_reason = 'stopped' where id = $1`, [stopped.id])
  await assert.rejects(installApp(portal.context, stopped.slug, approval()), NotFoundException)
  const asking = await publishApp(portal, { redirectUrls: ['https://registrar.example/'] })
  const answer = await portal.call(`/partners/api/school/apps/${asking.slug}/install`, {
    ...{ method: 'POST', as: school.id, json: { scopes: ['education.students.read'] } },
    headers: { 'x-form-token': await formTokenFor(portal, school) },
  })
  assert.deepEqual([answer.status, answer.body.error], [409, 'invalid_state'])
})

test('an installation without a token gets one when it is installed again, and then no other', async () => {
  const app = await publishApp(portal)
  const { installationId } = await installApp(portal.context, app.slug, approval())
  await portal.database.admin.query('delete from core.installation_tokens where installation_id = $1', [installationId])
  const { token } = await installApp(portal.context, app.slug, approval())
  const whoami = await portal.call('/apps/whoami', { headers: { authorization: `Bearer ${token}` } })
  assert.equal(whoami.status, 200)
  assert.equal((await installApp(portal.context, app.slug, approval())).token, null)
})

test('the partner of an app without redirect URLs sees the token once', async () => {
  const app = await publishApp(portal, { partnerId: 'p1' })
  const { installationId: id, token } = await installApp(portal.context, app.slug, approval())
  const show = (partner: string) =>
    portal.call(`/partners/api/apps/${app.slug}/installations/${id}/token/show`, { method: 'POST', partner })
  assert.equal((await show('p2')).status, 404)
  assert.equal((await show('p1')).body.token, token)
  assert.equal((await show('p1')).status, 409)
})

test('a token is shown neither of an app that gets it for a code, nor one that ends or has ended', async () => {
  const { admin } = portal.database
  const shown = async (changes: string, redirectUrls: string[] = []) => {
    const app = await publishApp(portal, { partnerId: 'p1', redirectUrls })
    const { installationId: id } = await installApp(portal.context, app.slug, approval())
    await admin.query(changes, [id])
    const path = `/partners/api/apps/${app.slug}/installations/${id}/token/show`
    return (await portal.call(path, { method: 'POST', partner: 'p1' })).status
  }
  const tokens = 'update core.installation_tokens set'
  assert.equal(await shown('select $1::text'), 200)
  assert.equal(await shown('select $1::text', ['https://registrar.example/']), 409)
  assert.equal(await shown(`${tokens} expires_at = '2100-01-01' where installation_id = $1`), 409)
  assert.equal(await shown(`${tokens} revoked_at = now() where installation_id = $1`), 409)
})

test('an app is installed, with the token that is shown once, although its rows cannot be given yet; they are told to follow', async () => {
  const app = await publishApp(portal, { type: 'embedded' })
  const told: unknown[] = []
  const away = new ServiceError('unavailable')
  const context = {
    ...portal.context,
    applyTenantData: () => Promise.reject(away),
    rowsFollow: (reason: unknown) => void told.push(reason),
  }
  const { installationId: id, token } = await installApp(context, app.slug, approval())
  assert.deepEqual(told, [away])
  assert.equal((await granted(id)).version, '1.0.0')
  const whoami = await portal.call('/apps/whoami', { headers: { authorization: `Bearer ${token}` } })
  assert.equal(whoami.status, 200)
})

test('rows that a long migration holds up hold up no installation', async (t) => {
  const app = await publishApp(portal, { type: 'embedded' })
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const context = {
    ...portal.context,
    applyTenantData: () => {
      setImmediate(() => t.mock.timers.tick(5_000))
      return new Promise<never>(() => {})
    },
  }
  assert.ok((await installApp(context, app.slug, approval())).token)
})

import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, test } from 'node:test'
import { verifyCertificate } from '../../host/installations/certificate.ts'
import { type ErasureContext, eraseDueInstallations } from '../../host/installations/erase.ts'
import { installApp } from '../../host/installations/install.ts'
import { listInstallations } from '../../host/installations/list-installations.ts'
import { narrowScopes } from '../../host/installations/narrow.ts'
import { uninstallApp } from '../../host/installations/uninstall.ts'
import { findApp } from '../../host/lifecycle/records.ts'
import { moveInstallationsBack } from '../../host/lifecycle/move-installations.ts'
import { rollBack } from '../../host/lifecycle/rollback.ts'
import { inTransaction } from '../../host/lifecycle/transaction.ts'
import { createTestClock, createTestSender, studentEvents } from '../events/support.ts'
import { startReceiver } from '../events/receiver.ts'
import { createSchool, type School } from '../support/school.ts'
import { type Portal, publishApp, publishVersion, standardScopes, startPortal } from './support.ts'

let portal: Portal
let school: School
const clock = createTestClock()
const { publicKey, privateKey } = generateKeyPairSync('ed25519')

before(async () => {
  portal = await startPortal(clock.now)
  school = await createSchool(portal.database.admin)
})

after(() => portal?.close())

const erasureContext = () => ({
  core: portal.core.pool,
  system: portal.system,
  clock: clock.now,
  signingKey: privateKey,
  eraseModuleRows: async (): Promise<Record<string, number>> => ({}),
  eraseFiles: async () => [],
  failed: (_: string, error: unknown) => assert.fail(error as Error),
})
const approval = (scopes?: string[]) => ({ tenantId: school.id, accountId: null, scopes })
const granted = async (id: string) => (await listInstallations(portal.system, school.id)).find((one) => one.id === id)!

async function formToken(): Promise<string> {
  return (await portal.call('/partners/api/school/installations', { as: school.id })).body.form_token
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
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    while (!(await admin.query(waiting)).rowCount) await new Promise((done) => setTimeout(done, 1))
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
      headers: { 'x-form-token': await formToken() },
    })
  assert.equal((await narrow(['education.students.write'])).status, 422)
  assert.equal((await narrow(['education.students.read', 'education.guardians.read'])).status, 422)
  assert.equal((await narrow(['education.students.read'])).status, 200)
  const whoami = await portal.call('/apps/whoami', { headers: { authorization: `Bearer ${token}` } })
  assert.deepEqual(whoami.body.scopes, ['education.students.read'])
  const forged = await portal.call(`/partners/api/school/installations/${id}`, { method: 'DELETE', as: school.id })
  assert.equal(forged.status, 419)
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

test('uninstalling stops tokens and deliveries at once; after 28 days erasure leaves no residue and a signed certificate', async (t) => {
  const receiver = await startReceiver('x', (_request, response) => response.writeHead(500).end())
  t.after(() => receiver.close())
  const app = await publishApp(portal, { type: 'embedded' })
  const { admin } = portal.database
  await admin.query('update core.apps set webhook_url = $2, webhook_events = $3 where id = $1', [
    ...[app.id, receiver.url, studentEvents],
  ])
  const { installationId: id, token } = await installApp(portal.context, app.slug, approval())
  await portal.createStudent(token!)
  const sender = createTestSender(portal.system, clock.now)
  t.after(() => sender.close())
  await sender.settle()
  const log = `insert into core.module_log (tenant_id, invocation_id, position, app, level, message) values ($1, 'i', 0, $2, 'info', 'x')`
  await admin.query(log, [school.id, app.slug])
  const template = `insert into core.report_templates (tenant_id, id, authored_by_app, status, definition) values ($1, $2, $3, $2, '{}')`
  for (const status of ['draft', 'approved']) await admin.query(template, [school.id, status, app.slug])
  const access = `insert into core.access_log (tenant_id, at, app, installation_id, operation, record_ids) values ($1, now(), $2, $3, 'x', '{}')`
  await admin.query(access, [school.id, app.slug, id])

  const answer = await portal.call(`/partners/api/school/installations/${id}`, {
    ...{ method: 'DELETE', as: school.id },
    headers: { 'x-form-token': await formToken() },
  })
  assert.equal(answer.status, 200)
  await assert.rejects(
    portal.createStudent(token!).then(() => clock.forward(3_000)),
    /401/,
  )
  clock.forward(7 * 3_600_000)
  const sent = receiver.received.length
  await sender.settle()
  assert.equal(receiver.received.length, sent)

  const erased: string[] = []
  const context = {
    ...erasureContext(),
    eraseModuleRows: async (tenantId: string, slug: string) => {
      erased.push(`${tenantId}/${slug}`)
      return { visits: 3 }
    },
    eraseFiles: async () => ['icon.png'],
  }
  clock.forward(27 * 86_400_000)
  assert.deepEqual(await eraseDueInstallations(context), [])
  clock.forward(86_400_000)
  const [certificate] = await eraseDueInstallations(context)
  assert.deepEqual(erased, [`${school.id}/${app.slug}`])
  assert.deepEqual(
    [certificate!.removed.tokens, certificate!.removed.module_tables, certificate!.residue],
    [1, { visits: 3 }, {}],
  )
  for (const table of [
    'installations',
    'installation_tokens',
    'deliveries',
    'delivery_attempts',
    'events',
    'consents',
    'module_log',
  ])
    assert.ok(certificate!.removed.tables[table]! > 0, table)

  const { body } = await portal.call('/partners/api/school/erasure-certificates', { as: school.id })
  const [{ certificate: text, signature }] = body.data
  const bytes = Buffer.from(signature, 'base64')
  assert.deepEqual(verifyCertificate(text, bytes, publicKey), certificate)
  assert.equal(verifyCertificate(text.replace('"tokens":1', '"tokens":2'), bytes, publicKey), null)
  const survivors = certificate!.survives.map(({ what }) => what)
  assert.deepEqual(survivors, ['access_log', 'erasure_certificates', 'report_templates', 'backups'])
  const templates = await admin.query('select status from core.report_templates where tenant_id = $1', [school.id])
  assert.deepEqual(templates.rows, [{ status: 'approved' }])
  assert.deepEqual(await tablesThatMention(id), ['access_log', 'erasure_certificates'])
})

test('an app that was installed again keeps its data when the first installation is erased', async () => {
  const app = await publishApp(portal, { type: 'embedded' })
  const first = await installApp(portal.context, app.slug, approval())
  await portal.call(`/partners/api/school/installations/${first.installationId}`, {
    ...{ method: 'DELETE', as: school.id },
    headers: { 'x-form-token': await formToken() },
  })
  const second = await installApp(portal.context, app.slug, approval())
  clock.forward(28 * 86_400_000)
  const [certificate] = await eraseDueInstallations({
    ...erasureContext(),
    eraseModuleRows: () => Promise.reject(new Error('the module was installed again')),
    eraseFiles: () => Promise.reject(new Error('the module was installed again')),
  })
  assert.equal(certificate!.installation_id, first.installationId)
  assert.ok(certificate!.app_data_kept)
  assert.ok(await granted(second.installationId))
})

test('an installation that cannot be erased keeps no other from being erased, and is tried again', async () => {
  const apps = [await publishApp(portal, { type: 'embedded' }), await publishApp(portal, { type: 'embedded' })]
  for (const { slug } of apps) await uninstalled(slug)
  clock.forward(28 * 86_400_000)
  const failures: unknown[] = []
  const erased = async (context: Partial<ErasureContext> = {}) =>
    (await eraseDueInstallations({ ...erasureContext(), ...context })).map(({ app }) => app)
  const locked = new Error('its schema is locked')
  const first = await erased({
    eraseModuleRows: async (_, slug) => (slug === apps[0]!.slug ? Promise.reject(locked) : {}),
    failed: (_, error) => failures.push(error),
  })
  assert.deepEqual([first, failures], [[apps[1]!.slug], [locked]])
  assert.deepEqual(await erased(), [apps[0]!.slug])
})

test('an app that comes back while others are erased keeps its data', async () => {
  const [before, back] = [
    await publishApp(portal, { type: 'embedded' }),
    await publishApp(portal, { type: 'embedded' }),
  ]
  for (const { slug } of [before, back]) await uninstalled(slug)
  clock.forward(28 * 86_400_000)
  const erased: string[] = []
  const [, certificate] = await eraseDueInstallations({
    ...erasureContext(),
    async eraseModuleRows(_, slug) {
      erased.push(slug)
      if (slug === before.slug) await installApp(portal.context, back.slug, approval())
      return {}
    },
  })
  assert.deepEqual(erased, [before.slug])
  assert.deepEqual([certificate!.app, certificate!.app_data_kept === null], [back.slug, false])
})

test('an app that came back and went again keeps its data 28 days from then', async () => {
  const { slug } = await publishApp(portal, { type: 'embedded' })
  await uninstalled(slug)
  clock.forward(20 * 86_400_000)
  await uninstalled(slug)
  const erased: string[] = []
  const context = { ...erasureContext(), eraseFiles: async () => [erased.push(slug)].map(String) }
  clock.forward(8 * 86_400_000)
  const [first] = await eraseDueInstallations(context)
  assert.deepEqual([first!.app, first!.app_data_kept === null, erased], [slug, false, []])
  clock.forward(20 * 86_400_000)
  const [second] = await eraseDueInstallations(context)
  assert.deepEqual([second!.app, second!.app_data_kept, erased], [slug, null, [slug]])
})

async function uninstalled(slug: string): Promise<void> {
  const { installationId } = await installApp(portal.context, slug, approval())
  await uninstallApp(portal.context, { tenantId: school.id, installationId, accountId: null })
  clock.forward(1)
}

/** Every table of the platform in which any column of any row holds the text. */
async function tablesThatMention(text: string): Promise<string[]> {
  const { rows } = await portal.database.admin.query<{ table: string }>(
    `select table_name as table from information_schema.tables where table_schema = 'core' and table_type = 'BASE TABLE' order by 1`,
  )
  const found: string[] = []
  for (const { table } of rows) {
    const { rowCount } = await portal.database.admin.query(
      `select from core.${table} t where position($1 in t::text) > 0 limit 1`,
      [text],
    )
    if (rowCount) found.push(table)
  }
  return found
}

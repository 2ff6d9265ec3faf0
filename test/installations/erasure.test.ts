import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, test } from 'node:test'
import { verifyCertificate } from '../../host/installations/certificate.ts'
import { type EndedInstallation, type ErasureContext, eraseDueInstallations } from '../../host/installations/erase.ts'
import { installApp } from '../../host/installations/install.ts'
import { uninstallApp } from '../../host/installations/uninstall.ts'
import { startReceiver } from '../events/receiver.ts'
import { createTestClock, createTestSender, studentEvents } from '../events/support.ts'
import { createSchool, type School } from '../support/school.ts'
import { formTokenFor, installationOf, type Portal, publishApp, startPortal, tablesThatMention } from './support.ts'

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
  core: portal.core.tenants,
  system: portal.system,
  clock: clock.now,
  signingKey: privateKey,
  eraseModuleRows: async (): Promise<Record<string, number>> => ({}),
  eraseFiles: async () => [],
  failed: (_: string, error: unknown) => assert.fail(error as Error),
})
const approval = () => ({ tenantId: school.id, accountId: null })

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
  await logLine(school, app.slug)
  const template = `insert into core.report_templates (tenant_id, id, authored_by_app, status, definition) values ($1, $2, $3, $2, '{}')`
  for (const status of ['draft', 'approved']) await admin.query(template, [school.id, status, app.slug])
  const access = `insert into core.access_log (tenant_id, at, app, installation_id, operation, record_ids) values ($1, now(), $2, $3, 'x', '{}')`
  await admin.query(access, [school.id, app.slug, id])

  const answer = await portal.call(`/partners/api/school/installations/${id}`, {
    ...{ method: 'DELETE', as: school.id },
    headers: { 'x-form-token': await formTokenFor(portal, school) },
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
    eraseModuleRows: async ({ tenantId, slug, installationId }: EndedInstallation) => {
      erased.push(`${tenantId}/${slug}/${installationId}`)
      return { visits: 3 }
    },
    eraseFiles: async () => ['icon.png'],
  }
  clock.forward(27 * 86_400_000)
  assert.deepEqual(await eraseDueInstallations(context), [])
  clock.forward(86_400_000)
  const [certificate] = await eraseDueInstallations(context)
  assert.deepEqual(erased, [`${school.id}/${app.slug}/${id}`])
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
  assert.deepEqual(await tablesThatMention(portal, id), ['access_log', 'erasure_certificates'])
})

test('an app that was installed again keeps its data when the first installation is erased', async () => {
  const app = await publishApp(portal, { type: 'embedded' })
  const first = await installApp(portal.context, app.slug, approval())
  await portal.call(`/partners/api/school/installations/${first.installationId}`, {
    ...{ method: 'DELETE', as: school.id },
    headers: { 'x-form-token': await formTokenFor(portal, school) },
  })
  const second = await installApp(portal.context, app.slug, approval())
  await logLine(school, app.slug)
  clock.forward(28 * 86_400_000)
  const [certificate] = await eraseDueInstallations({
    ...erasureContext(),
    async eraseModuleRows({ isKept }) {
      assert.equal(await isKept?.(), true)
      return {}
    },
    eraseFiles: () => Promise.reject(new Error('the module was installed again')),
  })
  assert.equal(certificate!.installation_id, first.installationId)
  assert.ok(certificate!.app_data_kept)
  assert.ok(await installationOf(portal, school, second.installationId))
  assert.ok((await tablesThatMention(portal, app.slug)).includes('module_log'))
})

test("erasure takes nothing of another app's or another school's, and an event goes with its last receiver only", async () => {
  const { admin } = portal.database
  const [gone, stays] = [await publishApp(portal, { type: 'embedded' }), await publishApp(portal, { type: 'embedded' })]
  await admin.query(
    `update core.apps set webhook_url = 'https://receiver.test/', webhook_events = $2 where id = any($1)`,
    [...[[gone.id, stays.id], studentEvents]],
  )
  const first = await installApp(portal.context, gone.slug, approval())
  const other = await createSchool(admin)
  const kept = [
    await installApp(portal.context, stays.slug, approval()),
    await installApp(portal.context, gone.slug, { tenantId: other.id, accountId: null }),
  ]
  for (const { token } of kept) await portal.createStudent(token!)
  await logLine(school, stays.slug)
  await logLine(other, gone.slug)
  const of = async () => ({
    mentioned: await Promise.all(kept.map(({ installationId }) => tablesThatMention(portal, installationId))),
    logged: [
      await tablesThatMention(portal, stays.slug),
      (await tablesThatMention(portal, other.id)).includes('module_log'),
    ],
    events: (await admin.query('select count(*) from core.events where tenant_id = any($1)', [[school.id, other.id]]))
      .rows,
  })
  const before = await of()
  assert.ok(before.mentioned.every((tables) => tables.includes('deliveries')))
  await uninstallApp(portal.context, { ...approval(), installationId: first.installationId })
  clock.forward(28 * 86_400_000)
  const [certificate] = await eraseDueInstallations(erasureContext())
  assert.deepEqual([certificate!.installation_id, certificate!.app_data_kept], [first.installationId, null])
  assert.equal(certificate!.removed.tables.deliveries, 1)
  assert.deepEqual(await of(), before)
})

test('a table that is added later is erased, by whatever name it points at the app', async () => {
  const { admin, connection } = portal.database
  const names = ['app', 'app_slug', 'authored_by_app', 'module_slug']
  const { slug } = await publishApp(portal, { type: 'embedded' })
  for (const name of names) {
    await admin.query(`create table core.later_${name} (tenant_id text, ${name} text)`)
    await admin.query(`grant select, delete on core.later_${name} to ${connection.core.user}`)
    await admin.query(`insert into core.later_${name} values ($1, $2), ($1, 'another')`, [school.id, slug])
  }
  await uninstalled(slug)
  clock.forward(28 * 86_400_000)
  const [certificate] = await eraseDueInstallations(erasureContext())
  for (const name of names) {
    assert.equal(certificate!.removed.tables[`later_${name}`], 1, name)
    await admin.query(`drop table core.later_${name}`)
  }
})

test('a row that stays behind is an error, and nothing is removed or certified', async () => {
  const { admin } = portal.database
  const { slug } = await publishApp(portal, { type: 'embedded' })
  await logLine(school, slug)
  await uninstalled(slug)
  clock.forward(28 * 86_400_000)
  const before = await tablesThatMention(portal, slug)
  await admin.query(`
    create function core.keep() returns trigger language plpgsql as 'begin return null; end';
    create trigger keep before delete on core.module_log for each row execute function core.keep()`)
  const failures: string[] = []
  const failed = (_: string, error: unknown) => failures.push((error as Error).message)
  assert.deepEqual(await eraseDueInstallations({ ...erasureContext(), failed }), [])
  assert.deepEqual(failures, ['erasure left rows in module_log'])
  assert.deepEqual(await tablesThatMention(portal, slug), before)
  await admin.query('drop function core.keep() cascade')
  assert.equal((await eraseDueInstallations(erasureContext())).length, 1)
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
    eraseModuleRows: async ({ slug }) => (slug === apps[0]!.slug ? Promise.reject(locked) : {}),
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
    async eraseModuleRows({ slug, isKept }) {
      if (await isKept?.()) return {}
      erased.push(slug)
      if (slug === before.slug) await installApp(portal.context, back.slug, approval())
      return {}
    },
  })
  assert.deepEqual(erased, [before.slug])
  assert.deepEqual([certificate!.app, certificate!.app_data_kept === null], [back.slug, false])
})

test('an app that comes back while its own rows are taken keeps what it writes from then on', async (t) => {
  const { admin } = portal.database
  const { slug } = await publishApp(portal, { type: 'embedded' })
  await uninstalled(slug)
  clock.forward(28 * 86_400_000)
  const busy = await admin.connect()
  t.after(() => busy.release(true))
  await busy.query('begin; lock table core.events in access exclusive mode')
  const failures: string[] = []
  const failed = (_: string, error: unknown) => failures.push((error as Error).message)
  const erasing = eraseDueInstallations({ ...erasureContext(), failed })
  const waits = `select from pg_locks where not granted and relation = 'core.events'::regclass`
  while ((await admin.query(waits)).rowCount === 0) await new Promise(setImmediate)
  await installApp(portal.context, slug, approval())
  await logLine(school, slug)
  await busy.query('rollback')
  assert.deepEqual([await erasing, failures], [[], ['the school installed the app while it was being erased']])
  assert.ok((await tablesThatMention(portal, slug)).includes('module_log'))
  const [certificate] = await eraseDueInstallations(erasureContext())
  assert.deepEqual([certificate!.app, certificate!.app_data_kept === null], [slug, false])
  assert.ok((await tablesThatMention(portal, slug)).includes('module_log'))
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

async function logLine({ id }: School, slug: string): Promise<void> {
  const text = `insert into core.module_log (tenant_id, invocation_id, position, app, level, message) values ($1, $2, 0, $2, 'info', 'x')`
  await portal.database.admin.query(text, [id, slug])
}

async function uninstalled(slug: string): Promise<void> {
  const { installationId } = await installApp(portal.context, slug, approval())
  await uninstallApp(portal.context, { tenantId: school.id, installationId, accountId: null })
  clock.forward(1)
}

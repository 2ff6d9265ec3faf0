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
import { formTokenFor, installationOf, type Portal, publishApp, startPortal } from './support.ts'

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
  erasedModuleRows: async (): Promise<Record<string, number>> => ({}),
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
  const log = `insert into core.module_log (tenant_id, invocation_id, position, app, level, message) values ($1, 'i', 0, $2, 'info', 'x')`
  await admin.query(log, [school.id, app.slug])
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
  assert.deepEqual(await tablesThatMention(id), ['access_log', 'erasure_certificates'])
})

test('an app that was installed again keeps its data when the first installation is erased', async () => {
  const app = await publishApp(portal, { type: 'embedded' })
  const first = await installApp(portal.context, app.slug, approval())
  await portal.call(`/partners/api/school/installations/${first.installationId}`, {
    ...{ method: 'DELETE', as: school.id },
    headers: { 'x-form-token': await formTokenFor(portal, school) },
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
  assert.ok(await installationOf(portal, school, second.installationId))
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
    async eraseModuleRows({ slug }) {
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

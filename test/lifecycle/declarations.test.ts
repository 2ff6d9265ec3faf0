import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { sealWebhookSecret } from '../../host/events/webhook-secret.ts'
import { createCipher } from '../../host/security/cipher.ts'
import { readHostKey } from '../../host/security/host-key.ts'
import { webKeys } from '../../host/security/keys.ts'
import { embeddedSuperuser } from '../host/embedded-superuser.ts'
import { type StartedHost, startHostProcess, hostFolder } from '../host/started-host.ts'
import { startReceiver } from '../events/receiver.ts'
import { newPartner, operatorToken, type Portal, portalOf } from './support.ts'

const folder = await hostFolder()
let host: StartedHost
let partner: Portal
let reviewer: Portal
let operator: Portal
let database: pg.Client
let tenant: string

before(async () => {
  host = await startHostProcess(folder.path, undefined, { ALLOW_LOOPBACK_CALLBACKS: 'true' })
  partner = (await newPartner(host, 'Sahab Apps')).portal
  reviewer = portalOf(host, operatorToken(host))
  operator = portalOf(host, operatorToken(host), '/operator')
  tenant = (await operator('/sandbox')).body.tenants[0].id
  database = new pg.Client(embeddedSuperuser(folder.path))
  await database.connect()
})
after(async () => {
  await database?.end()
  await host?.stop()
  folder.remove()
})

const manifestOf = (slug: string, version: string, more: object = {}) => ({
  moduleId: slug,
  displayName: slug,
  version,
  category: 'test',
  description: 'An app of the tests.',
  integrationType: 'external',
  ...more,
})
const entry = (key: string) => ({
  key,
  display_name: { ar: 'تنبيه', en: 'Alert' },
  description: { ar: '', en: '' },
  variables: { name: 'string' },
  default_channels: ['in_app'],
  severity: 'info',
})
const draft = (slug: string, version: string, more: object = {}) =>
  partner(`/apps/${slug}/versions`, { manifest: manifestOf(slug, version, more) })
async function newApp(slug: string, more: object = {}): Promise<void> {
  const made = await partner('/apps', { slug, display_name: slug, integration_type: 'external', ...more })
  assert.equal(made.status, 201, JSON.stringify(made.body))
}
async function publish(slug: string, version: string): Promise<void> {
  const path = `/apps/${slug}/versions/${version}`
  await partner(`${path}/submit`, {})
  const reviewed = await reviewer(`${path}/start-review`, {})
  const approved = await reviewer(`${path}/approve`, {})
  assert.equal(approved.status, 200, JSON.stringify([reviewed.body, approved.body]))
  assert.equal((await partner(`${path}/publish`, {})).status, 200)
}
const codeOf = ({ status, body }: { status: number; body: { error?: string } }) => [status, body?.error]

test('a catalog is cloned forward, frozen at publish, and a published entry is not deleted under a school', async () => {
  await newApp('alerts')
  assert.equal((await draft('alerts', '1.0.0', { notifications: [entry('alerts.fees.due')] })).status, 201)
  const [one, two] = ['1.0.0', '1.1.0'].map((version) => `/apps/alerts/versions/${version}/notifications`)
  await publish('alerts', '1.0.0')
  assert.deepEqual(codeOf(await partner(`${one}/alerts.fees.due`, { is_active: false }, 'PATCH')), [
    409,
    'cannot_edit_published',
  ])
  assert.deepEqual(codeOf(await partner(`${one}/alerts.fees.due`, undefined, 'DELETE')), [409, 'cannot_edit_published'])
  assert.equal((await operator('/install', { slug: 'alerts', tenant })).status, 200)

  assert.equal((await draft('alerts', '1.1.0')).status, 201)
  assert.deepEqual(
    (await partner(two!)).body.data.map(({ key }: { key: string }) => key),
    ['alerts.fees.due'],
  )
  assert.deepEqual(codeOf(await partner(`${two}/alerts.fees.due`, undefined, 'DELETE')), [
    409,
    'delete_blocked_by_installs',
  ])
  const without = await draft('alerts', '1.2.0', { notifications: [entry('alerts.fees.paid')] })
  assert.deepEqual(codeOf(without), [409, 'delete_blocked_by_installs'])
  assert.equal((await partner(`${two}/alerts.fees.due`, { is_active: false }, 'PATCH')).status, 200)
  await publish('alerts', '1.1.0')
  assert.equal((await partner(two!)).body.data[0].is_active, false)
  assert.deepEqual(codeOf(await partner('/apps/alerts', undefined, 'DELETE')), [409, 'delete_blocked_by_installs'])
})

test('a version that leaves out an entry is not published once a school has the app', async () => {
  await newApp('bells')
  await draft('bells', '1.0.0', { notifications: [entry('bells.lesson.over')] })
  await publish('bells', '1.0.0')
  assert.equal((await draft('bells', '1.1.0', { notifications: [] })).status, 201)
  const path = '/apps/bells/versions/1.1.0'
  await partner(`${path}/submit`, {})
  for (const move of ['start-review', 'approve']) await reviewer(`${path}/${move}`, {})
  assert.equal((await operator('/install', { slug: 'bells', tenant })).status, 200)
  assert.deepEqual(codeOf(await partner(`${path}/publish`, {})), [409, 'delete_blocked_by_installs'])
  assert.equal((await operator('/uninstall', { slug: 'bells', tenant })).status, 200)
  assert.equal((await partner(`${path}/publish`, {})).status, 200)
})

test('a version’s own declaration overrides the app’s, and a blank field inherits it', async () => {
  const webhookEvents = ['education.students.created']
  await newApp('overrides', {
    declarations: { aiSupport: true, aiMode: 'platform', external: { webhookEvents, redirectUrls: [] } },
  })
  await draft('overrides', '1.0.0')
  await draft('overrides', '1.1.0', { aiMode: 'own', external: { webhookUrl: 'https://app.example/hooks' } })
  const manifest = async (version: string) =>
    (await partner(`/apps/overrides/versions/${version}`)).body.version.manifest
  const [first, second] = [await manifest('1.0.0'), await manifest('1.1.0')]
  assert.deepEqual([first.aiSupport, first.aiMode, first.external.webhookEvents], [true, 'platform', webhookEvents])
  assert.deepEqual([second.aiSupport, second.aiMode, second.external.webhookEvents], [true, 'own', webhookEvents])
  assert.equal(second.external.webhookUrl, 'https://app.example/hooks')
})

test('a version that goes without AI, or shows its own mobile screens, inherits nothing of the other choice', async () => {
  const mobile = { mode: 'external', entry: 'https://app.example/m', allowed_origins: ['https://app.example'] }
  await newApp('chooses', { declarations: { aiSupport: true, aiMode: 'own', mobile } })
  const own = { mode: 'embedded', entry: 'mobile/index.html' }
  const made = await draft('chooses', '1.0.0', { aiSupport: false, mobile: own })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const { manifest } = (await partner('/apps/chooses/versions/1.0.0')).body.version
  assert.deepEqual([manifest.aiSupport, manifest.aiMode, manifest.mobile], [false, undefined, own])
})

test('a webhook URL that does not answer a signed ping cannot be approved', async () => {
  await newApp('silent')
  await draft('silent', '1.0.0', { external: { webhookUrl: 'https://127.0.0.1:1/hook' } })
  const path = '/apps/silent/versions/1.0.0'
  for (const secret of [null, 'whsec_test']) {
    if (secret !== null) await giveSecret('silent', secret)
    await partner(`${path}/submit`, {})
    const { probe } = (await reviewer(`${path}/start-review`, {})).body.version
    assert.deepEqual([probe.ok, probe.status], [false, null])
    assert.match(probe.error, secret === null ? /no webhook secret/ : /ECONNREFUSED/)
    assert.equal((await reviewer(`${path}/approve`, {})).status, 422)
    await reviewer(`${path}/reject`, { comment: probe.error })
    await partner(`${path}/reopen`, {})
  }
})

test('what a review looked at is what is published, where the app’s own declaration changed after the draft', async (t) => {
  await newApp('shifted')
  const receiver = await startReceiver((await partner('/apps/shifted/credentials', {})).body.credentials.webhook_secret)
  t.after(() => receiver.close())
  const declare = async (path: string) => {
    const declarations = { external: { webhookUrl: `${receiver.url}${path}` } }
    assert.equal((await partner('/apps/shifted', { declarations }, 'PATCH')).status, 200)
  }
  await declare('/old')
  await draft('shifted', '1.0.0')
  await declare('/new')
  await publish('shifted', '1.0.0')
  await declare('/later')
  const { manifest, report } = (await partner('/apps/shifted/versions/1.0.0')).body.version
  const { webhook } = (await partner('/apps/shifted/webhook')).body
  const expected = `${receiver.url}/new`
  assert.deepEqual([report.probe.url, manifest.external.webhookUrl, webhook.url], [expected, expected, expected])
})

test('rolling back puts the name and the addresses of the version before in place', async (t) => {
  await newApp('moved')
  const { client_id, webhook_secret } = (await partner('/apps/moved/credentials', {})).body.credentials
  const receiver = await startReceiver(webhook_secret)
  t.after(() => receiver.close())
  const events = { '1.0.0': ['education.students.created'], '1.1.0': ['education.guardians.created'] }
  const pageOf = (version: string) => `https://app.example/${version}`
  for (const [version, webhookEvents] of Object.entries(events)) {
    const external = { webhookUrl: `${receiver.url}/${version}`, webhookEvents, redirectUrls: [pageOf(version)] }
    await draft('moved', version, { displayName: `Moved ${version}`, external })
    await publish('moved', version)
  }
  const described = async () => {
    const [{ app }, { webhook }] = [(await partner('/apps/moved')).body, (await partner('/apps/moved/webhook')).body]
    const known = async (version: string) => {
      const query = new URLSearchParams({ client_id, redirect_uri: pageOf(version), response_type: 'code', state: 's' })
      return (await fetch(`${host.url}/oauth/authorize?${query}`)).status === 401
    }
    return [app.display_name, webhook.url, webhook.events, await known('1.0.0'), await known('1.1.0')]
  }
  const later = ['Moved 1.1.0', `${receiver.url}/1.1.0`, events['1.1.0'], false, true]
  assert.deepEqual(await described(), later)
  assert.equal((await partner('/apps/moved/rollback', {})).status, 200)
  assert.deepEqual(await described(), ['Moved 1.0.0', `${receiver.url}/1.0.0`, events['1.0.0'], true, false])
  assert.equal((await partner('/apps/moved/versions/1.1.0/publish', {})).status, 200)
  assert.deepEqual(await described(), later)
})

test('SQL of the portal is guarded, kept as a draft, and published with the next release', async () => {
  const index = `import { defineModule, html } from '@partner/sdk'
export default defineModule({ routes: { 'GET /': async () => html\`<p>tables</p>\` } })
`
  await newApp('tables', { integration_type: 'embedded' })
  const save = (name: string, sql: string) => partner('/apps/tables/sql-drafts', { name, sql })
  for (const [sql, rule, line] of [
    ['drop database partner;', 'statement', 1],
    ['create table a (id int);\ngrant all on a to public', 'statement', 2],
    ['create table a (id int);\n\ncreate table b (student_id char(26))', 'core-reference', 3],
    ['create table a (id int); \0', 'nul', 1],
  ] as const) {
    const { status, body } = await save('refused', sql)
    const [finding] = body.report.findings
    assert.deepEqual([status, finding.rule, finding.line], [422, rule, line], JSON.stringify(body))
    assert.match(finding.file, /^migrations\/.*_refused\.sql/)
    assert.deepEqual(body.errors[`files.${finding.file}`], [`line ${line}: ${finding.message}`])
  }
  for (const sql of ['', "insert into loans (x) values ('\ud800')"])
    assert.deepEqual(Object.keys((await save('refused', sql)).body.errors), ['sql'])
  const saved = await save('make_shelves', 'create table shelves (id char(26) primary key, name text not null);')
  assert.equal(saved.status, 201, JSON.stringify(saved.body))
  const { version } = saved.body.sql_draft
  const second = await save('number_shelves', 'alter table shelves add column number int;')
  assert.equal(second.status, 201, JSON.stringify(second.body))
  assert.ok(second.body.sql_draft.version > version)
  const files = {
    'manifest.json': manifestOf('tables', '1.0.0', { integrationType: 'embedded' }),
    'src/index.ts': index,
    'migrations/2040_01_01_000000_make_rooms.sql': 'create table rooms (id char(26) primary key);',
  }
  const encoded = Object.fromEntries(
    Object.entries(files).map(([name, content]) => [
      name,
      Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)).toString('base64'),
    ]),
  )
  const made = await partner('/apps/tables/versions', { files: encoded })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  await publish('tables', '1.0.0')
  assert.deepEqual(
    (await partner('/apps/tables/migrations')).body.migrations.live.map(({ name }: { name: string }) => name),
    ['make_shelves', 'number_shelves', 'make_rooms'],
  )
  const later = await save('number_rooms', 'alter table rooms add column number int;')
  assert.ok(later.body.sql_draft.version > '2040_01_01_000000', JSON.stringify(later.body))
  assert.equal((await partner('/apps/tables/sql-drafts')).body.data[0].status, 'published')
  assert.deepEqual(codeOf(await partner(`/apps/tables/sql-drafts/${version}`, undefined, 'DELETE')), [
    409,
    'cannot_edit_published',
  ])
})

/** A secret as the portal's credentials would give it. */
async function giveSecret(slug: string, secret: string): Promise<void> {
  const cipher = createCipher(webKeys(readHostKey({ DATA_DIR: folder.path }, false)).data)
  const { rows } = await database.query<{ id: string }>('select id from core.apps where slug = $1', [slug])
  const sealed = sealWebhookSecret(cipher, rows[0]!.id, secret)
  await database.query('update core.apps set webhook_secret_encrypted = $2 where id = $1', [rows[0]!.id, sealed])
}

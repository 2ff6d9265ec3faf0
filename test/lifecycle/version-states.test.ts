import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { readModuleFiles } from '../../host/publishing/source/package-files.ts'
import { writeModule } from '../host/module-folder.ts'
import { hostFolder, type StartedHost, startHostProcess, temporaryFolder } from '../host/started-host.ts'
import { newPartner, operatorToken, pageOf, type Portal, portalOf, sourceOf } from './support.ts'

const [folder, sources] = [await hostFolder(), temporaryFolder()]
let host: StartedHost
let partner: Portal
let stranger: Portal
let reviewer: Portal

before(async () => {
  host = await startHostProcess(folder.path)
  partner = (await newPartner(host, 'Sahab Apps')).portal
  stranger = (await newPartner(host, 'Other Apps')).portal
  reviewer = portalOf(host, operatorToken(host))
})
after(async () => {
  await host?.stop()
  folder.remove()
  sources.remove()
})

let count = 0
/** A draft of a new app of the partner's; hosted elsewhere unless it has files. */
async function newDraft(files: Record<string, string> = {}) {
  const slug = `app_${++count}`
  const [version, integrationType] = ['1.0.0', Object.keys(files).length > 0 ? 'embedded' : 'external'] as const
  const dir = writeModule(sources.path, slug, files, { version, integrationType })
  const made = await partner('/publish', { files: await readModuleFiles(dir), submit: false })
  assert.deepEqual([made.status, made.body.state], [200, 'draft'], JSON.stringify(made.body))
  return { slug, dir, path: `/apps/${slug}/versions/${version}` }
}

const state = async (path: string) => (await partner(path)).body.version.state
const codeOf = ({ status, body }: { status: number; body: { error?: string } }) => [status, body.error]

test('a version goes from draft to published, and each step is only its own actor’s', async () => {
  const { path } = await newDraft()
  assert.deepEqual(codeOf(await reviewer(`${path}/submit`, {})), [403, 'forbidden'])
  assert.equal((await partner(`${path}/submit`, {})).body.version.state, 'submitted')
  assert.deepEqual(codeOf(await partner(`${path}/start-review`, {})), [403, 'forbidden'])
  assert.equal((await reviewer(`${path}/start-review`, {})).status, 200)
  assert.deepEqual(codeOf(await partner(`${path}/approve`, {})), [403, 'forbidden'])
  assert.deepEqual(codeOf(await partner(`${path}/reject`, { comment: 'x' })), [403, 'forbidden'])
  assert.equal((await reviewer(`${path}/approve`, { comment: 'good' })).body.version.state, 'approved')
  const published = await partner(`${path}/publish`, {})
  assert.deepEqual([published.status, published.body.version.state], [200, 'published'], JSON.stringify(published.body))
  assert.equal(await state(path), 'published')
})

test('a partner who sends many sources at once waits for a few in turn, and is told of the others to come later', async () => {
  const { dir } = await newDraft()
  const body = { ...sourceOf(dir), submit: false }
  const answers = await Promise.all(Array.from({ length: 12 }, () => partner('/publish', body)))
  const [built, refused] = [200, 429].map((status) => answers.filter((answer) => answer.status === status))
  assert.equal(built!.length + refused!.length, 12, JSON.stringify(answers))
  assert.ok(built!.length >= 5 && refused!.length > 0, JSON.stringify(answers.map(codeOf)))
})

test('no step can be taken from a state it does not start in', async () => {
  const { path } = await newDraft()
  for (const move of ['start-review', 'approve', 'publish'])
    assert.deepEqual(codeOf(await reviewer(`${path}/${move}`, {})), [409, 'invalid_state'], move)
  assert.deepEqual(codeOf(await partner(`${path}/publish`, {})), [409, 'invalid_state'])
  assert.deepEqual(codeOf(await partner(`${path}/reopen`, {})), [409, 'invalid_state'])
  assert.equal(await state(path), 'draft')
})

test('a submitted version is locked, and a rejected one comes back as a draft with its comments, and stays', async () => {
  const { dir, slug, path } = await newDraft()
  await partner(`${path}/submit`, {})
  assert.deepEqual(codeOf(await partner(path, sourceOf(dir), 'PUT')), [409, 'invalid_state'])
  assert.deepEqual(codeOf(await partner(path, undefined, 'DELETE')), [409, 'invalid_state'])
  const again = await partner('/publish', { ...sourceOf(dir), submit: false })
  assert.deepEqual([again.status, again.body.report.findings[0].rule], [422, 'invalid_state'])
  await reviewer(`${path}/start-review`, {})
  assert.equal((await reviewer(`${path}/reject`, {})).status, 422, 'a rejection says why')
  assert.equal((await reviewer(`${path}/reject`, { comment: 'explain the scopes' })).body.version.state, 'rejected')
  assert.deepEqual(codeOf(await partner(path, sourceOf(dir), 'PUT')), [409, 'invalid_state'])
  assert.equal((await partner(`${path}/reopen`, {})).body.version.state, 'draft')
  const { comments } = (await partner(path)).body.version
  assert.deepEqual(
    comments.map(({ author, body, state: at }: Record<string, string>) => [author, body, at]),
    [['operator', 'explain the scopes', 'rejected']],
  )
  assert.equal((await partner(path, sourceOf(dir), 'PUT')).status, 200)
  for (const record of [path, `/apps/${slug}`])
    assert.deepEqual(
      codeOf(await partner(record, undefined, 'DELETE')),
      [409, 'invalid_state'],
      'what reviewers said stays',
    )
})

test('a published version cannot be edited or deleted, and its name is used once', async () => {
  const { dir, path } = await newDraft()
  await partner(`${path}/submit`, {})
  await reviewer(`${path}/start-review`, {})
  await reviewer(`${path}/approve`, {})
  await partner(`${path}/publish`, {})
  assert.deepEqual(codeOf(await partner(path, sourceOf(dir), 'PUT')), [409, 'cannot_edit_published'])
  assert.deepEqual(codeOf(await partner(path, undefined, 'DELETE')), [409, 'cannot_edit_published'])
  const again = await partner('/publish', sourceOf(dir))
  assert.deepEqual([again.status, again.body.report.findings[0].rule], [422, 'cannot_edit_published'])
})

test('another partner’s app looks exactly like a missing one', async () => {
  const { slug, path } = await newDraft()
  const missing = await stranger('/apps/no_such_app')
  for (const [route, body, method] of [
    [`/apps/${slug}`],
    [path],
    [`/apps/${slug}/versions`],
    [`/apps/${slug}/migrations`],
    [`/apps/${slug}/sql-drafts`],
    [`${path}/submit`, {}],
    [`${path}/comments`, { comment: 'hello' }],
    [`${path}/publish`, {}],
    [`/apps/${slug}/rollback`, {}],
    [path, undefined, 'DELETE'],
    [`/apps/${slug}`, undefined, 'DELETE'],
  ] as [string, unknown, string][]) {
    assert.deepEqual(await stranger(route, body, method), missing, `${method ?? ''} ${route}`)
  }
  assert.ok(!(await stranger('/apps')).body.data.some((app: { slug: string }) => app.slug === slug))
  assert.equal(await state(path), 'draft')
})

test('without a key, with a wrong one and with an installation token nobody is let in', async () => {
  for (const token of [null, 'ppk_wrong', `ppk_${'a'.repeat(43)}`, `pit_test_${'a'.repeat(46)}`])
    assert.deepEqual(codeOf(await portalOf(host, token)('/apps')), [401, 'unauthenticated'])
})

test('a source that is sent to one app changes no other', async () => {
  const [one, other] = [await newDraft(), await newDraft()]
  const before = (await partner(other.path)).body
  const sent = [
    await partner(`/apps/${one.slug}/versions`, sourceOf(other.dir)),
    await partner(one.path, sourceOf(other.dir), 'PUT'),
  ]
  const expected = [422, { 'manifest.moduleId': [`must be ${one.slug}`] }]
  assert.deepEqual(
    sent.map(({ status, body }) => [status, body.errors]),
    [expected, expected],
  )
  assert.deepEqual((await partner(other.path)).body, before)
})

test('the integration type is chosen once', async () => {
  const { slug, dir } = await newDraft()
  assert.equal((await partner(`/apps/${slug}`, { integration_type: 'external' }, 'PATCH')).status, 422)
  const manifest = JSON.parse(Buffer.from(sourceOf(dir).files['manifest.json']!, 'base64').toString())
  const changed = await partner(`/apps/${slug}/versions`, {
    manifest: { ...manifest, version: '2.0.0', integrationType: 'embedded' },
  })
  assert.equal(changed.status, 422)
  assert.equal(changed.body.report.findings[0].rule, 'cannot_edit_published', JSON.stringify(changed.body))
})

test('two who publish the same version at once publish it once', async () => {
  const { path } = await newDraft({
    'src/index.ts': pageOf('things'),
    'migrations/2026_01_01_000001_make.sql': 'create table things (id char(26) primary key, name text not null);',
  })
  await partner(`${path}/submit`, {})
  await reviewer(`${path}/start-review`, {})
  await reviewer(`${path}/approve`, {})
  const answers = await Promise.all([partner(`${path}/publish`, {}), reviewer(`${path}/publish`, {})])
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409], JSON.stringify(answers))
})

test('a version below a published one is refused as a draft, at submit and at publishing', async () => {
  const { slug, path: first } = await newDraft()
  const path = (version: string) => `/apps/${slug}/versions/${version}`
  const draft = (version: string) => {
    const dir = writeModule(sources.path, slug, {}, { version, integrationType: 'external' })
    return partner('/publish', { ...sourceOf(dir), submit: false })
  }
  const approve = async (at: string) => {
    await partner(`${at}/submit`, {})
    await reviewer(`${at}/start-review`, {})
    assert.equal((await reviewer(`${at}/approve`, {})).status, 200, at)
  }
  for (const version of ['1.0.9', '1.1.0']) assert.equal((await draft(version)).status, 200, version)
  await approve(first)
  await approve(path('1.1.0'))
  assert.equal((await partner(`${path('1.1.0')}/publish`, {})).status, 200)

  const late = await partner(`${first}/publish`, {})
  const expected = { version: ['must be higher than 1.1.0, which is published'] }
  assert.deepEqual([late.status, late.body.errors], [422, expected], JSON.stringify(late.body))
  const submitted = await partner(`${path('1.0.9')}/submit`, {})
  assert.deepEqual([submitted.status, submitted.body.errors], [422, expected])
  const again = await draft('1.0.5')
  assert.equal(again.status, 422)
  assert.match(again.body.message, /1\.0\.5 is not higher than 1\.1\.0/)
  assert.equal((await draft('1.2.0-beta.1')).status, 200)
})

test('a module is published with what it uses of npm packages; how its author installs the SDK is not sent', async () => {
  const { dir, path } = await newDraft({
    'src/index.ts': `import { defineModule, html } from '@partner/sdk'
import { greet } from 'greeter'
export default defineModule({ routes: { 'GET /': async () => html\`<p>\${greet()}</p>\` } })
`,
    'node_modules/greeter/package.json': JSON.stringify({ name: 'greeter', version: '1.0.0', main: 'main.js' }),
    'node_modules/greeter/main.js': "exports.greet = () => 'hello'\n",
    'package.json': JSON.stringify({
      type: 'module',
      dependencies: { '@partner/sdk': 'file:vendor/partner-sdk-0.1.0.tgz', greeter: '1.0.0' },
    }),
    'package-lock.json': '{}',
    'vendor/partner-sdk-0.1.0.tgz': 'packed',
    'node_modules/@partner/sdk/index.js': 'export const html = 1',
  })
  const own = ['manifest.json', 'package.json', 'src/index.ts']
  const packages = ['node_modules/greeter/main.js', 'node_modules/greeter/package.json']
  assert.deepEqual(Object.keys(await readModuleFiles(dir)), [...own, ...packages])
  await partner(`${path}/submit`, {})
  for (const move of ['start-review', 'approve']) await reviewer(`${path}/${move}`, {})
  const published = await partner(`${path}/publish`, {})
  assert.deepEqual([published.status, published.body.version.state], [200, 'published'], JSON.stringify(published.body))
})

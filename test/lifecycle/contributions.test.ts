import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { writeModule } from '../host/module-folder.ts'
import { hostFolder, type StartedHost, startHostProcess, temporaryFolder } from '../host/started-host.ts'
import { operatorToken, pageOf, type Portal, portalOf, sourceOf } from './support.ts'

const [folder, sources] = [await hostFolder(), temporaryFolder()]
let host: StartedHost
let portal: Portal
let operator: Portal

before(async () => {
  host = await startHostProcess(folder.path)
  portal = portalOf(host, operatorToken(host))
  operator = portalOf(host, operatorToken(host), '/operator')
})
after(async () => {
  await host?.stop()
  folder.remove()
  sources.remove()
})

const manifestOf = (slug: string, more: object) =>
  JSON.stringify({
    moduleId: slug,
    displayName: slug,
    version: '1.0.0',
    category: 'test',
    description: 'A module of the tests.',
    integrationType: 'embedded',
    ...more,
  })
const write = (slug: string, source: string, more: object = {}) =>
  sourceOf(writeModule(sources.path, slug, { 'manifest.json': manifestOf(slug, more), 'src/index.ts': source }, {}))

type Finding = { rule: string; file: string; message: string; fix?: string }
/** What publishing says of a module, or `partner dev`. */
async function refusals(slug: string, source: string, more: object = {}, path = '/publish'): Promise<string[]> {
  const { status, body } = await operator(path, write(slug, source, more))
  assert.equal(status, 422, `${path} ${JSON.stringify(body)}`)
  return (body.report.findings as Finding[]).map(({ file, message }) => `${file} ${message.split(': ')[0]}`)
}

const profile = (contributions: string) =>
  `import { action, defineModule, html, panel, stat } from '@partner/sdk'
export default defineModule({ studentProfile: { ${contributions} } })
`
const title = "{ ar: 'ن', en: 'Clubs' }"

test('a contribution without a permission, or that leads out of the app, is refused by its key', async () => {
  const contributions = [
    `bare: panel({ title: ${title}, render: async () => html\`x\` } as never)`,
    `short: stat({ label: ${title}, permission: 'clubs.read', value: async () => 1 })`,
    `away: action({ label: ${title}, permission: 'clubs.list.read', url: 'https://elsewhere.example' })`,
    `fine: stat({ label: ${title}, permission: 'clubs.list.read', value: async () => 1 })`,
  ]
  const refused = [
    'src/index.ts studentProfile.bare.permission',
    'src/index.ts studentProfile.short.permission',
    'src/index.ts studentProfile.away.url',
  ]
  for (const path of ['/publish', '/dev'])
    assert.deepEqual(await refusals('clubs_bad', profile(contributions.join(', ')), {}, path), refused)
})

test('contributions are part of the published manifest, with their defaults, whatever it declared itself', async () => {
  const source = profile(
    `next: panel({ title: ${title}, permission: 'clubs.list.read', render: async () => html\`x\` })`,
  )
  const declared = [{ kind: 'stat', label: 'Gone', permission: 'clubs.list.read' }]
  const files = write('clubs', source, { studentProfile: declared })
  const { status, body } = await operator('/publish', { ...files, approve: true })
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual((await portal('/apps/clubs/versions/1.0.0')).body.version.manifest.studentProfile, [
    {
      kind: 'panel',
      key: 'next',
      title: { ar: 'ن', en: 'Clubs' },
      permission: 'clubs.list.read',
      order: 100,
      zone: 'Main',
    },
  ])
})

test('whether an app needs a database, and its migrations, are told by its files, whatever the manifest says', async () => {
  const shown = async (version: string, more: object, files: Record<string, string>) => {
    const written = {
      'manifest.json': manifestOf('tables', { version, ...more }),
      'src/index.ts': pageOf('x'),
      ...files,
    }
    const { status, body } = await operator('/publish', sourceOf(writeModule(sources.path, 'tables', written)))
    assert.equal(status, 200, JSON.stringify(body))
    const { manifest } = (await portal(`/apps/tables/versions/${version}`)).body.version
    return [manifest.requiresDatabase, manifest.migrations]
  }
  const wrong = { requiresDatabase: true, migrations: [{ version: '2020_01_01_000001', name: 'gone' }] }
  assert.deepEqual(await shown('1.0.0', wrong, {}), [false, []])
  const file = 'migrations/2026_01_01_000001_create_things.sql'
  const things = { [file]: 'create table things (id char(26) primary key);' }
  assert.deepEqual(await shown('1.1.0', { requiresDatabase: false }, things), [
    true,
    [{ version: '2026_01_01_000001', name: 'create_things' }],
  ])
})

test('only an embedded app contributes to a student’s page', async () => {
  const source = profile(`one: stat({ label: ${title}, permission: 'clubs.list.read', value: async () => 1 })`)
  const notification = { channels: ['sms'], delivery: 'embedded', embedded: { provider_class: 'clubs.Sms' } }
  const found = await refusals('clubs_sms', source, { integrationType: 'notification', notification })
  assert.deepEqual(found, ['src/index.ts studentProfile', 'src/index.ts notificationProvider'])
})

test('a tool has a name of its app, and no two have one', async () => {
  const named = (name: string) => `tool({ name: '${name}', description: 'd', parameters: {}, handler: () => 1 })`
  const tools = ['clubs_tools.list.read', 'clubs_tools.list.read', 'other.list.read', 'list'].map(named)
  const source = `import { defineModule, tool } from '@partner/sdk'
export default defineModule({ tools: [${tools.join(', ')}] })
`
  const refused = [1, 2, 3].map((index) => `src/index.ts tools[${index}].name`)
  assert.deepEqual(await refusals('clubs_tools', source), refused)
})

test('an audience whose route the module does not have is refused; the slug may stand before the name', async () => {
  const audience = (web_route: string) => ({
    account_types: [{ key: 'staff', kind: 'primary', roles: ['teacher'], web_route }],
  })
  assert.deepEqual(await refusals('doors_bad', pageOf('x'), audience('marks.index')), [
    'manifest.json account_types[0].web_route',
  ])
  const { status, body } = await operator('/publish', write('doors', pageOf('x'), audience('doors.index')))
  assert.equal(status, 200, JSON.stringify(body))
})

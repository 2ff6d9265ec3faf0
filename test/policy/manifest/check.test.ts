import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkManifest } from '../../../policy/manifest/check.ts'
import { manifestJsonSchema } from '../../../policy/manifest/schema.ts'
import { catalog } from '../support/catalog.ts'
import {
  account,
  check,
  egress,
  field,
  payment,
  plain,
  provider,
  reason,
  testRefusals,
  withField,
  withWidget,
  notification,
} from '../support/manifest.ts'

const withReason = (text: string) => ({ scopes: [{ key: 'education.students.read', reason: text }] })

const accepted: Record<string, Record<string, unknown>> = {
  'the least manifest': {},
  'scopes with reasons': { scopes: [{ key: 'education.students.read', required: false, reason }] },
  'a dangerous scope with a written reason': {
    scopes: [{ key: 'education.face_embeddings.read', reason: 'Recognises members at the door of the club' }],
  },
  'an external app': {
    integrationType: 'external',
    external: {
      webhookUrl: 'https://app.example.com/hook',
      webhookEvents: ['education.students.created'],
      redirectUrls: ['https://app.example.com/back'],
    },
  },
  'a notification provider': { integrationType: 'notification', notification: provider },
  'a hybrid provider with capabilities': {
    integrationType: 'notification',
    notification: {
      ...provider,
      delivery: 'hybrid',
      embedded: { provider_class: 'Clubs\\Sms' },
      capabilities: { supports_bulk: true, max_bulk_recipients: 100 },
      settings_ui: { has_settings_page: true, livewire_component: 'sms-settings' },
    },
  },
  'a payment provider': { integrationType: 'payment', payment },
  'a notification catalog': {
    notifications: [
      {
        ...notification,
        variables: { club: 'string' },
        default_channels: ['email'],
        severity: 'warning',
        is_active: false,
      },
    ],
  },
  'account types': {
    account_types: [
      account,
      { key: 'pupils', kind: 'dependent', portal: 'student', mobile_entry: 'home' },
      { ...account, key: 'own', custom: true },
    ],
  },
  'a widget of every setting': withWidget({
    settings_schema: {
      fields: [
        field,
        { ...field, key: 'a', type: 'textarea', min: 1, max: 9, default: 'abc' },
        { ...field, key: 'b', type: 'number', min: 1, max: 3, default: 2 },
        { ...field, key: 'c', type: 'toggle', default: true },
        { ...field, key: 'd', type: 'select', options: [{ value: 'x', label: 'X' }], default: 'x' },
        { ...field, key: 'e', type: 'color', default: '#112233' },
        { ...field, key: 'f', type: 'image' },
        { ...field, key: 'g', type: 'link', default: 'https://example.com' },
      ],
    },
  }),
  'an interactive widget that writes': withWidget({
    interaction: 'interactive',
    public_writes: ['contacts.enquiries.write'],
    scopes: ['education.grades.read'],
  }),
  'an embedded mobile service': {
    mobile: { mode: 'embedded', entry: 'mobile/index.html', required_scope: 'clubs.list.read' },
  },
  'an external mobile service': {
    mobile: {
      mode: 'external',
      entry: 'https://m.example.com/app',
      allowed_origins: ['https://m.example.com'],
      pass_role_claim: true,
    },
  },
  'student-profile contributions': {
    studentProfile: [
      { kind: 'panel', title: 'Clubs', permission: 'clubs.list.read', zone: 'Sidebar' },
      { kind: 'stat', label: 'Clubs', permission: 'clubs.list.read', color: 'danger' },
      { kind: 'action', label: 'Remind', permission: 'clubs.list.read', event: 'remind', params: { a: 1 } },
    ],
  },
  'texts of several lines and tabs, and marks that Arabic is written with': {
    displayName: { ar: 'می\u200cروم \u200f(١)\u200e', en: 'Clubs\u200d' },
    description: 'One\n\ttwo',
    scopes: [{ key: 'education.students.read', reason: `${reason}\n\tand their hours` }],
    egress: [{ ...egress, purpose: `${egress.purpose}\nonce a day` }],
    ...withField({ help: 'One\ntwo' }),
  },
  'AI of the platform': { aiSupport: true, aiMode: 'platform' },
  'hosts to reach': { egress: [egress] },
  'settings of its own': { settings_schema: { fields: [{ ...field, secret: true }] } },
  'imported migrations': { requiresDatabase: true, migrations: [{ version: '2026_01_01_000001', name: 'clubs' }] },
}

for (const [name, changes] of Object.entries(accepted)) {
  test(`a manifest is accepted with ${name}`, () => {
    const { manifest, findings } = check(changes)
    assert.deepEqual(findings, [])
    assert.equal(manifest?.moduleId, 'clubs')
  })
}

testRefusals([
  ['a missing field', { version: undefined }, 'version'],
  ['a field nobody knows', { colour: 'red' }, 'colour'],
  ['a slug with capitals', { moduleId: 'Clubs' }, 'moduleId'],
  ['a slug that is a feature', { moduleId: 'education' }, 'moduleId', 'slug-reserved'],
  ['an integration type nobody knows', { integrationType: 'plugin' }, 'integrationType'],
  ['a wildcard scope', { scopes: [{ key: 'education.*.read', reason }] }, 'scopes[0].key'],
  ['a scope of another action', { scopes: [{ key: 'education.students.delete', reason }] }, 'scopes[0].key'],
  ['an invented scope', { scopes: [{ key: 'education.lunches.read', reason }] }, 'scopes[0].key', 'scope-invented'],
  ['a withdrawn scope', { scopes: [{ key: 'education.retired.read', reason }] }, 'scopes[0].key', 'scope-inactive'],
  ['a scope without a reason', { scopes: [{ key: 'education.students.read' }] }, 'scopes[0].reason'],
  [
    'a scope twice',
    {
      scopes: [
        { key: 'education.students.read', reason },
        { key: 'education.students.read', reason },
      ],
    },
    'scopes[1]',
    'manifest-duplicate',
  ],
  [
    'a dangerous scope without a written reason',
    { scopes: [{ key: 'education.face_embeddings.read', reason: 'needed' }] },
    'scopes[0].reason',
    'scope-dangerous-reason',
  ],
  ['a name of two lines', { displayName: 'Clubs\nof the platform' }, 'displayName'],
  ['a name in one language that turns its direction', { displayName: { ar: 'ن', en: 'a\u2067b' } }, 'displayName.en'],
  ['a category that erases a line', { category: 'a\u001b[2K' }, 'category'],
  ['a description that goes back to its line’s start', { description: 'a\rb' }, 'description'],
  ['a reason that erases a line', withReason('Lists members\u001b[2K'), 'scopes[0].reason'],
  ['a reason that erases one in a single character', withReason('Lists members\u009b2K'), 'scopes[0].reason'],
  ['a reason that turns its direction', withReason('Lists \u202emembers'), 'scopes[0].reason'],
  ['a host’s purpose with a NUL', { egress: [{ ...egress, purpose: 'Reads weather\0' }] }, 'egress[0].purpose'],
  ['a label of two lines', withField({ label: 'One\ntwo' }), 'landing_widgets[0].settings_schema.fields[0].label'],
  [
    'a help that turns its direction',
    withField({ help: '\u2066x' }),
    'landing_widgets[0].settings_schema.fields[0].help',
  ],
  [
    'a notification’s description with a delete character',
    { notifications: [{ ...notification, description: { en: 'a\u007f' } }] },
    'notifications[0].description.en',
  ],
  ['AI of nobody', { aiSupport: true }, 'aiMode'],
  ['AI of another mode', { aiSupport: true, aiMode: 'theirs' }, 'aiMode'],
  ['a wildcard host', { egress: [{ ...egress, host: '*.example.com' }] }, 'egress[0].host'],
  ['an address as a host', { egress: [{ ...egress, host: '127.0.0.1' }] }, 'egress[0].host'],
  ['a host without a purpose', { egress: [{ ...egress, purpose: '' }] }, 'egress[0].purpose'],
])

test('an event that the platform does not send is refused where its events are known', () => {
  const webhookEvents = ['education.students.created', 'education.students.deleted']
  const json = { ...plain, integrationType: 'external', external: { webhookEvents } }
  assert.deepEqual(checkManifest(json, { scopeCatalog: catalog }).findings, [])
  const { findings } = checkManifest(json, { scopeCatalog: catalog, events: ['education.students.created'] })
  assert.deepEqual(
    findings.map(({ path }) => path),
    ['external.webhookEvents[1]'],
  )
})

test('a loopback webhook is taken by a host that calls it, by no other; other addresses without TLS by none', () => {
  const pathsOf = (webhookUrl: string, allowLoopback: boolean) =>
    checkManifest(
      { ...plain, integrationType: 'external', external: { webhookUrl } },
      { scopeCatalog: catalog, allowLoopback },
    ).findings.map(({ path }) => path)
  assert.deepEqual(pathsOf('http://127.0.0.1:4000/hook', true), [])
  assert.deepEqual(pathsOf('http://127.0.0.1:4000/hook', false), ['external.webhookUrl'])
  for (const url of ['http://app.example.com/', 'http://localhost/', 'http://a:b@127.0.0.1/', 'http://10.0.0.1/'])
    assert.deepEqual(pathsOf(url, true), ['external.webhookUrl'], url)
})

test('several faults are named at once', () => {
  assert.equal(check({ version: 'x', moduleId: 'X', scopes: [{ key: 'a' }] }).findings.length, 4)
})

test('a notification app is given its two scopes', () => {
  const { manifest } = check({ integrationType: 'notification', notification: provider })
  assert.deepEqual(
    manifest?.scopes.map(({ key, required }) => [key, required]),
    [
      ['notifications.providers.send', true],
      ['notifications.logs.read', false],
    ],
  )
})

test('what is no object is refused, not thrown', () => {
  for (const json of [null, 1, 'x', [], undefined])
    assert.equal(checkManifest(json, { scopeCatalog: catalog }).findings[0]?.rule, 'manifest-shape')
})

test('the JSON Schema for editors knows every field of the manifest', () => {
  const schema = manifestJsonSchema()
  const properties = Object.keys(schema.properties ?? {})
  for (const name of [
    'moduleId',
    'scopes',
    'landing_widgets',
    'notification',
    'payment',
    'account_types',
    'studentProfile',
    'mobile',
    'egress',
    'aiMode',
  ])
    assert.ok(properties.includes(name), name)
  assert.equal(schema.additionalProperties, false)
})

test('the JSON Schema for editors refuses in a text what the manifest’s check does', () => {
  const { category, description } = manifestJsonSchema().properties as Record<string, { pattern: string }>
  // With `u`, as JSON Schema has its patterns read.
  const [name, lines] = [new RegExp(category!.pattern, 'u'), new RegExp(description!.pattern, 'u')]
  assert.deepEqual([name.test('a b'), name.test('a\nb'), name.test('\u202ea')], [true, false, false])
  assert.deepEqual([lines.test('a\n\tb'), lines.test('a\rb'), lines.test('a\u0085')], [true, false, false])
})

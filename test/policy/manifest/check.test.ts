import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkManifest } from '../../../policy/manifest/check.ts'
import { manifestJsonSchema } from '../../../policy/manifest/schema.ts'
import { catalog } from '../support/catalog.ts'

const plain = {
  moduleId: 'clubs',
  displayName: 'Clubs',
  version: '1.0.0',
  category: 'education',
  description: 'x',
  integrationType: 'embedded',
}
const reason = 'Lists the members of each club'
const notification = { key: 'clubs.meeting.moved', display_name: { ar: 'تغير الموعد', en: 'Meeting moved' } }
const widget = { key: 'news', label: 'News', livewire_component: 'news' }
const field = { key: 'title', type: 'text', label: 'Title' }
const provider = {
  channels: ['sms'],
  delivery: 'api',
  api: { send_endpoint: 'https://sms.example.com/send', auth: 'hmac' },
}
const payment = { currencies: ['SAR'], delivery: 'embedded', embedded: { provider_class: 'clubs.Payments' } }
const account = { key: 'staff', kind: 'primary', roles: ['teacher'], web_route: 'clubs.index' }
const egress = {
  host: 'api.example.com',
  methods: ['GET'],
  purpose: 'Reads the weather for trips',
  personal_data: false,
}

const check = (changes: Record<string, unknown>) => checkManifest({ ...plain, ...changes }, { scopeCatalog: catalog })
const withWidget = (changes: Record<string, unknown>) => ({ landing_widgets: [{ ...widget, ...changes }] })
const withField = (changes: Record<string, unknown>) =>
  withWidget({ settings_schema: { fields: [{ ...field, ...changes }] } })
const many = (count: number, make: (index: number) => unknown) =>
  Array.from({ length: count }, (_, index) => make(index))

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

const refused: readonly (readonly [string, Record<string, unknown>, string, string?])[] = [
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
  ['an external block of an embedded app', { external: {} }, 'external', 'manifest-block'],
  [
    'a webhook without TLS',
    { integrationType: 'external', external: { webhookUrl: 'http://app.example.com' } },
    'external.webhookUrl',
  ],
  [
    'an address with a password',
    { integrationType: 'external', external: { webhookUrl: 'https://a:b@app.example.com' } },
    'external.webhookUrl',
  ],
  [
    'a made-up event form',
    { integrationType: 'external', external: { webhookEvents: ['created'] } },
    'external.webhookEvents[0]',
  ],
  ['a notification block of an embedded app', { notification: provider }, 'notification', 'manifest-block'],
  ['a notification app without its block', { integrationType: 'notification' }, 'notification', 'manifest-block'],
  [
    'no channels',
    { integrationType: 'notification', notification: { ...provider, channels: [] } },
    'notification.channels',
  ],
  [
    'an unknown channel',
    { integrationType: 'notification', notification: { ...provider, channels: ['fax'] } },
    'notification.channels[0]',
  ],
  [
    'delivery by api without an address',
    { integrationType: 'notification', notification: { channels: ['sms'], delivery: 'api' } },
    'notification.api',
  ],
  [
    'hybrid delivery without a class',
    { integrationType: 'notification', notification: { ...provider, delivery: 'hybrid' } },
    'notification.embedded',
  ],
  [
    'another signing',
    { integrationType: 'notification', notification: { ...provider, api: { ...provider.api, auth: 'basic' } } },
    'notification.api.auth',
  ],
  [
    'a class that is not fully qualified',
    {
      integrationType: 'notification',
      notification: { channels: ['sms'], delivery: 'embedded', embedded: { provider_class: 'Sms' } },
    },
    'notification.embedded.provider_class',
  ],
  [
    'sending as an optional scope',
    {
      integrationType: 'notification',
      notification: provider,
      scopes: [{ key: 'notifications.providers.send', required: false, reason }],
    },
    'scopes[0].required',
    'manifest-block',
  ],
  [
    'a currency nobody has',
    { integrationType: 'payment', payment: { ...payment, currencies: ['riyal'] } },
    'payment.currencies[0]',
  ],
  [
    'a payment app without its class',
    { integrationType: 'payment', payment: { currencies: ['SAR'], delivery: 'embedded' } },
    'payment.embedded',
  ],
  [
    "a notification of another app's",
    { notifications: [{ ...notification, key: 'library.loan.due' }] },
    'notifications[0].key',
    'key_prefix',
  ],
  [
    'a notification key of two parts',
    { notifications: [{ ...notification, key: 'clubs.moved' }] },
    'notifications[0].key',
  ],
  [
    'a notification key with capitals',
    { notifications: [{ ...notification, key: 'clubs.Meeting.moved' }] },
    'notifications[0].key',
  ],
  [
    'a notification in one language',
    { notifications: [{ ...notification, display_name: { en: 'Moved' } }] },
    'notifications[0].display_name.ar',
  ],
  [
    'a notification channel nobody knows',
    { notifications: [{ ...notification, default_channels: ['fax'] }] },
    'notifications[0].default_channels[0]',
  ],
  ['a severity nobody knows', { notifications: [{ ...notification, severity: 'fatal' }] }, 'notifications[0].severity'],
  [
    'two notifications of one key',
    { notifications: [notification, notification] },
    'notifications[1]',
    'manifest-duplicate',
  ],
  ['an audience of roles and portal', { account_types: [{ ...account, portal: 'student' }] }, 'account_types[0].roles'],
  ['an audience of nobody', { account_types: [{ ...account, roles: undefined }] }, 'account_types[0].roles'],
  [
    'an audience without a surface',
    { account_types: [{ ...account, web_route: undefined }] },
    'account_types[0].web_route',
  ],
  [
    'an address as a route name',
    { account_types: [{ ...account, web_route: '/clubs' }] },
    'account_types[0].web_route',
  ],
  [
    'custom keys for a portal',
    { account_types: [{ key: 'p', kind: 'primary', portal: 'guardian', mobile_entry: 'x', custom: true }] },
    'account_types[0].custom',
  ],
  [
    'widgets of an external app',
    { integrationType: 'external', landing_widgets: [widget] },
    'landing_widgets',
    'manifest-block',
  ],
  ['eleven widgets', { landing_widgets: many(11, (index) => ({ ...widget, key: `w${index}` })) }, 'landing_widgets'],
  ['a widget key of one letter', withWidget({ key: 'n' }), 'landing_widgets[0].key'],
  ['a widget label of one letter', withWidget({ label: 'N' }), 'landing_widgets[0].label'],
  ['a widget description of 301', withWidget({ description: 'x'.repeat(301) }), 'landing_widgets[0].description'],
  ['a widget category nobody knows', withWidget({ category: 'popup' }), 'landing_widgets[0].category'],
  ['an alias with ::', withWidget({ livewire_component: 'core::admin' }), 'landing_widgets[0].livewire_component'],
  [
    'a widget that reads by a write scope',
    withWidget({ scopes: ['education.grades.write'] }),
    'landing_widgets[0].scopes[0]',
  ],
  [
    'a widget of 21 scopes',
    withWidget({ scopes: many(21, (index) => `education.r${index}.read`) }),
    'landing_widgets[0].scopes',
  ],
  [
    'a widget with an invented scope',
    withWidget({ scopes: ['education.lunches.read'] }),
    'landing_widgets[0].scopes[0]',
    'scope-invented',
  ],
  [
    'a static widget that writes',
    withWidget({ public_writes: ['contacts.enquiries.write'] }),
    'landing_widgets[0].interaction',
  ],
  [
    'a public write the catalog does not allow',
    withWidget({ interaction: 'interactive', public_writes: ['education.students.write'] }),
    'landing_widgets[0].public_writes[0]',
    'widget-scope',
  ],
  [
    'eleven public writes',
    withWidget({ interaction: 'interactive', public_writes: many(11, (index) => `contacts.r${index}.write`) }),
    'landing_widgets[0].public_writes',
  ],
  ['a cache of two days', withWidget({ cache_ttl: 172_800 }), 'landing_widgets[0].cache_ttl'],
  [
    'a picture without TLS',
    withWidget({ preview: { thumbnail_url: 'http://example.com/a.png' } }),
    'landing_widgets[0].preview.thumbnail_url',
  ],
  ['a setting of type html', withField({ type: 'html' }), 'landing_widgets[0].settings_schema.fields[0].type'],
  ['a setting without a label', withField({ label: undefined }), 'landing_widgets[0].settings_schema.fields[0].label'],
  [
    '21 settings',
    withWidget({ settings_schema: { fields: many(21, (index) => ({ ...field, key: `f${index}` })) } }),
    'landing_widgets[0].settings_schema.fields',
  ],
  [
    'two settings of one key',
    withWidget({ settings_schema: { fields: [field, field] } }),
    'landing_widgets[0].settings_schema.fields[1]',
    'manifest-duplicate',
  ],
  [
    'a default of another type',
    withField({ type: 'number', default: 'three' }),
    'landing_widgets[0].settings_schema.fields[0].default',
  ],
  [
    'a default out of bounds',
    withField({ max: 3, default: 'four' }),
    'landing_widgets[0].settings_schema.fields[0].default',
  ],
  ['a select without options', withField({ type: 'select' }), 'landing_widgets[0].settings_schema.fields[0].options'],
  [
    'a select of 51 options',
    withField({ type: 'select', options: many(51, (index) => ({ value: `${index}`, label: 'x' })) }),
    'landing_widgets[0].settings_schema.fields[0].options',
  ],
  [
    'a select whose default is no option',
    withField({ type: 'select', options: [{ value: 'a', label: 'A' }], default: 'b' }),
    'landing_widgets[0].settings_schema.fields[0].default',
  ],
  [
    'options of one value',
    withField({
      type: 'select',
      options: [
        { value: 'a', label: 'A' },
        { value: 'a', label: 'B' },
      ],
    }),
    'landing_widgets[0].settings_schema.fields[0].options[1]',
    'manifest-duplicate',
  ],
  [
    'an options_endpoint',
    withField({ type: 'select', options: [{ value: 'a', label: 'A' }], options_endpoint: '/x' }),
    'landing_widgets[0].settings_schema.fields[0].options_endpoint',
  ],
  [
    'a script as a default link',
    withField({ type: 'link', default: 'javascript:alert(1)' }),
    'landing_widgets[0].settings_schema.fields[0].default',
  ],
  ['a mobile entry outside mobile/', { mobile: { mode: 'embedded', entry: 'src/index.html' } }, 'mobile.entry'],
  ['a mobile entry that climbs', { mobile: { mode: 'embedded', entry: 'mobile/../src/x.html' } }, 'mobile.entry'],
  [
    'an external mobile entry without TLS',
    { mobile: { mode: 'external', entry: 'http://m.example.com' } },
    'mobile.entry',
  ],
  [
    'an origin with a path',
    { mobile: { mode: 'external', entry: 'https://m.example.com', allowed_origins: ['https://m.example.com/x'] } },
    'mobile.allowed_origins[0]',
  ],
  [
    'the role claim of an embedded screen',
    { mobile: { mode: 'embedded', entry: 'mobile/a.html', pass_role_claim: true } },
    'mobile.pass_role_claim',
  ],
  [
    'a contribution without a permission',
    { studentProfile: [{ kind: 'panel', title: 'x' }] },
    'studentProfile[0].permission',
  ],
  [
    'an action that does nothing',
    { studentProfile: [{ kind: 'action', label: 'x', permission: 'a.b.c' }] },
    'studentProfile[0].url',
  ],
  [
    'params without an event',
    { studentProfile: [{ kind: 'action', label: 'x', permission: 'a.b.c', url: 'x', params: {} }] },
    'studentProfile[0].params',
  ],
  [
    'an action that leads away',
    { studentProfile: [{ kind: 'action', label: 'x', permission: 'a.b.c', url: 'javascript:x' }] },
    'studentProfile[0].url',
  ],
  [
    'contributions of an external app',
    { integrationType: 'external', studentProfile: [] },
    'studentProfile',
    'manifest-block',
  ],
  ['AI of nobody', { aiSupport: true }, 'aiMode'],
  ['AI of another mode', { aiSupport: true, aiMode: 'theirs' }, 'aiMode'],
  ['a wildcard host', { egress: [{ ...egress, host: '*.example.com' }] }, 'egress[0].host'],
  ['an address as a host', { egress: [{ ...egress, host: '127.0.0.1' }] }, 'egress[0].host'],
  ['a host without a purpose', { egress: [{ ...egress, purpose: '' }] }, 'egress[0].purpose'],
]

for (const [name, changes, path, rule = 'manifest-shape'] of refused) {
  test(`a manifest is refused for ${name}`, () => {
    const { manifest, findings } = check(changes)
    assert.equal(manifest, undefined)
    const found = findings.find((finding) => finding.path === path && finding.rule === rule)
    assert.ok(found, `no ${rule} at ${path} in ${JSON.stringify(findings)}`)
    assert.ok(found.message.length > 5 && found.mend.length > 5)
  })
}

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
    assert.ok(checkManifest(json, { scopeCatalog: catalog }).findings.length > 0)
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

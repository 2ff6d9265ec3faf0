import assert from 'node:assert/strict'
import { test } from 'node:test'
import { check, field, many, testRefusals, widget, withField, withWidget } from '../support/manifest.ts'

testRefusals([
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
])

const fieldsOf = (changes: Record<string, unknown>) => {
  const { manifest, findings } = check(withField(changes))
  assert.deepEqual(findings, [])
  return manifest?.landing_widgets?.[0]?.settings_schema?.fields[0]
}

test('min and max are dropped where they mean nothing, whatever they are', () => {
  const types = [{ type: 'toggle' }, { type: 'color' }, { type: 'select', options: [{ value: 'a', label: 'A' }] }]
  for (const kind of [...types, { type: 'image' }, { type: 'link' }])
    assert.deepEqual(fieldsOf({ ...kind, min: 1, max: 'x' }), { ...field, ...kind })
  for (const type of ['text', 'textarea', 'number'])
    assert.deepEqual(fieldsOf({ type, min: 1, max: 3 }), { ...field, type, min: 1, max: 3 })
})

test('the length of a default is counted in characters', () => {
  assert.equal(fieldsOf({ max: 2, default: '📚📚' })?.default, '📚📚')
  assert.equal(check(withField({ max: 1, default: '📚📚' })).manifest, undefined)
})

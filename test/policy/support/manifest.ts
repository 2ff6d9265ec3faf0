import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkManifest } from '../../../policy/manifest/check.ts'
import { catalog } from './catalog.ts'

export const plain = {
  moduleId: 'clubs',
  displayName: 'Clubs',
  version: '1.0.0',
  category: 'education',
  description: 'x',
  integrationType: 'embedded',
}
export const reason = 'Lists the members of each club'
export const notification = { key: 'clubs.meeting.moved', display_name: { ar: 'تغير الموعد', en: 'Meeting moved' } }
export const widget = { key: 'news', label: 'News', livewire_component: 'news' }
export const field = { key: 'title', type: 'text', label: 'Title' }
export const provider = {
  channels: ['sms'],
  delivery: 'api',
  api: { send_endpoint: 'https://sms.example.com/send', auth: 'hmac' },
}
export const payment = { currencies: ['SAR'], delivery: 'embedded', embedded: { provider_class: 'clubs.Payments' } }
export const account = { key: 'staff', kind: 'primary', roles: ['teacher'], web_route: 'clubs.index' }
export const egress = {
  host: 'api.example.com',
  methods: ['GET'],
  purpose: 'Reads the weather for trips',
  personal_data: false,
}

export const check = (changes: Record<string, unknown>) =>
  checkManifest({ ...plain, ...changes }, { scopeCatalog: catalog })
export const withWidget = (changes: Record<string, unknown>) => ({ landing_widgets: [{ ...widget, ...changes }] })
export const withField = (changes: Record<string, unknown>) =>
  withWidget({ settings_schema: { fields: [{ ...field, ...changes }] } })
export const many = (count: number, make: (index: number) => unknown) =>
  Array.from({ length: count }, (_, index) => make(index))

/** What is wrong, the changes that make it so, where it is found, and by which rule (`manifest-shape`). */
export type Refusal = readonly [name: string, changes: Record<string, unknown>, path: string, rule?: string]

export function testRefusals(refusals: readonly Refusal[]): void {
  for (const [name, changes, path, rule = 'manifest-shape'] of refusals) {
    test(`a manifest is refused for ${name}`, () => {
      const { manifest, findings } = check(changes)
      assert.equal(manifest, undefined)
      const found = findings.find((finding) => finding.path === path && finding.rule === rule)
      assert.ok(found, `no ${rule} at ${path} in ${JSON.stringify(findings)}`)
      assert.ok(found.message.length > 5 && found.mend.length > 5)
    })
  }
}

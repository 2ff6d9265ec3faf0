// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the text of a module
/** A module of landing widgets, a notification provider and a pure JavaScript library from npm. */
export const enquiries: Readonly<Record<string, string>> = {
  'manifest.json': JSON.stringify({
    moduleId: 'enquiries',
    displayName: 'Enquiries',
    version: '0.3.1',
    category: 'marketing',
    description: 'An enquiry form and news on the school page.',
    integrationType: 'embedded',
    scopes: [
      { key: 'education.grades.read', required: true, reason: 'Which grades one may ask about' },
      { key: 'contacts.enquiries.write', required: true, reason: 'Keeps what people ask' },
      { key: 'realtime.messages.write', required: false, reason: 'Shows a new enquiry at once' },
    ],
    landing_widgets: [
      {
        key: 'enquiry',
        label: 'Enquiry',
        livewire_component: 'enquiry',
        interaction: 'interactive',
        scopes: ['education.grades.read'],
        public_writes: ['contacts.enquiries.write'],
      },
      {
        key: 'grades',
        label: 'Grades',
        livewire_component: 'grades',
        scopes: ['education.grades.read'],
        settings_schema: { fields: [{ key: 'title', type: 'text', label: 'Title', max: 60 }] },
      },
    ],
    settings_schema: { fields: [{ key: 'api_key', type: 'text', label: 'Key', secret: true }] },
  }),
  'src/index.ts': `import { defineModule, html, json } from '@partner/sdk'
import slugify from 'slugify-lite'
import { Enquiry } from './widgets/enquiry.ts'
import { Grades } from './widgets/grades.ts'

const handlers = new Map<string, number>()

export default defineModule({
  widgets: { enquiry: Enquiry, grades: Grades },
  routes: {
    'GET /': async ({ settings, request, log }) => {
      handlers.set(request.path, (handlers.get(request.path) ?? 0) + 1)
      log.info('opened', { path: request.path })
      return html\`<p>\${slugify(settings.title ?? 'Enquiries')}</p>\`
    },
    'POST /ping': async ({ publish, body }) => {
      await publish('enquiry.new', { at: Date.now(), text: JSON.stringify(body).slice(0, 200) })
      return json({ ok: true })
    },
  },
  notificationProvider: {
    send: async ({ payload }) => ({ ok: payload.message.body.length > 0, providerId: crypto.randomUUID() }),
    supports: (channel: string) => ['sms', 'whatsapp'].includes(channel),
    isConfigured: async ({ settings }) => Boolean(settings.api_key),
  },
})
`,
  'src/widgets/base.ts': `import { LandingWidget } from '@partner/sdk'

export abstract class SchoolWidget<Settings> extends LandingWidget<Settings> {
  protected heading(settings: { title?: string }) {
    return settings.title ?? 'School'
  }
}
`,
  'src/widgets/grades.ts': `import { html } from '@partner/sdk'
import { SchoolWidget } from './base.ts'

export class Grades extends SchoolWidget<{ title?: string }> {
  render = async ({ services, settings }) => {
    const { data: grades } = await services.education.grades.list({ per_page: 100 })
    const shown = grades.filter((grade) => grade.level >= 1 && grade.level <= 12).toSorted((a, b) => a.level - b.level)
    return html\`<h2>\${this.heading(settings)}</h2><ol>\${shown.map((grade) => html\`<li>\${grade.name}</li>\`)}</ol>\`
  }
}
`,
  'src/widgets/enquiry.ts': `import { html } from '@partner/sdk'
import { SchoolWidget } from './base.ts'

const required = ['name', 'phone'] as const

export class Enquiry extends SchoolWidget<{ title?: string }> {
  render = async ({ settings, services }) => {
    const grades = await services.education.grades.list({})
    const options = grades.data.map(({ id, name }) => html\`<option value="\${id}">\${name}</option>\`)
    return html\`<form data-action="submit"><h2>\${this.heading(settings)}</h2><select name="grade">\${options}</select></form>\`
  }

  actions = {
    submit: async ({ input, services, withPublicWrite }) => {
      const missing = required.filter((field) => !input[field])
      if (missing.length > 0) return { ok: false, missing }
      const done = await withPublicWrite('submit', () => services.contacts.enquiries.create({ name: input.name, phone: input.phone }))
      return { ok: done !== null }
    },
  }
}
`,
  'node_modules/slugify-lite/package.json': '{"name": "slugify-lite", "main": "index.js"}',
  'node_modules/slugify-lite/index.js': `'use strict'
Object.defineProperty(exports, '__esModule', { value: true })
var root = typeof globalThis !== 'undefined' ? globalThis : typeof self !== 'undefined' ? self : this
function Slug(text) { this.text = text }
Slug.prototype = { constructor: Slug, copy: function () { return new this.constructor(this.text) } }
if (process.env.NODE_ENV !== 'production' && root.console) { root.console.debug }
exports.default = function (text) { return new Slug(String(text)).copy().text.toLowerCase().replace(/[^a-z0-9]+/g, '-') }
`,
}

export const moduleTypes = ['embedded', 'external', 'notification', 'payment'] as const
export type ModuleType = (typeof moduleTypes)[number]

const provider = (slug: string) => ({ provider_class: `Partners\\${studly(slug)}\\Provider` })
const studly = (slug: string) => slug.replace(/(^|_)([a-z0-9])/g, (_, __, letter: string) => letter.toUpperCase())

const blocks: Record<ModuleType, (slug: string) => Record<string, unknown>> = {
  embedded: () => ({
    scopes: [{ key: 'education.grades.read', required: true, reason: 'Shows how many grades the school has.' }],
    account_types: [{ key: 'staff', kind: 'primary', roles: ['administrator', 'teacher'], web_route: 'index' }],
    requiresDatabase: true,
  }),
  external: (slug) => ({
    scopes: [{ key: 'education.students.read', required: true, reason: 'Keeps its own list of students up to date.' }],
    external: {
      webhookUrl: `https://${slug.replaceAll('_', '-')}.example/webhooks`,
      webhookEvents: ['education.students.created', 'education.students.updated'],
      redirectUrls: [],
    },
  }),
  notification: (slug) => ({
    notification: {
      channels: ['sms'],
      delivery: 'embedded',
      embedded: provider(slug),
      capabilities: { supports_templates: false, supports_media: false, supports_bulk: false },
    },
  }),
  payment: (slug) => ({ payment: { currencies: ['SAR'], delivery: 'embedded', embedded: provider(slug) } }),
}

/** A manifest that is accepted as it stands; its texts wait to be replaced. */
export function newManifest(slug: string, type: ModuleType): Record<string, unknown> {
  return {
    $schema: 'http://127.0.0.1:4400/docs/manifest.schema.json',
    moduleId: slug,
    displayName: slug.replaceAll('_', ' ').replace(/^./, (letter) => letter.toUpperCase()),
    version: '1.0.0',
    category: 'education',
    description: `What ${slug} does for a school.`,
    integrationType: type,
    ...blocks[type](slug),
  }
}

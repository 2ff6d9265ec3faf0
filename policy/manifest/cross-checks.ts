import { featuresOf, type ScopeFacts } from '../catalog.ts'
import type { RuleId } from '../rules/index.ts'
import { isLoopbackUrl, lettersOf } from './fields.ts'
import { nearest } from './nearest.ts'
import type { Manifest } from './schema.ts'

/** One refusal: where in the manifest, by which rule, and what would mend it. */
export type ManifestFinding = {
  readonly path: string
  readonly rule: RuleId
  readonly message: string
  readonly mend: string
}

/** Letters and digits: dots, or what nobody sees, give no reason. */
const leastReason = 15

/** What needs the scope catalog, or more than one block of the manifest. */
export function crossChecks(
  manifest: Manifest,
  catalog: readonly ScopeFacts[],
  { events, allowLoopback = false }: { events?: readonly string[] | undefined; allowLoopback?: boolean | undefined },
): ManifestFinding[] {
  const known = new Map(catalog.map((scope) => [scope.key, scope]))
  return [
    ...checkSlug(manifest, catalog),
    ...manifest.scopes.flatMap((scope, index) => checkScope(scope, `scopes[${index}]`, known)),
    ...checkBlocks(manifest),
    ...(allowLoopback ? [] : checkWebhook(manifest)),
    ...(events ? checkEvents(manifest, events) : []),
    ...checkNotifications(manifest),
    ...checkProviderScopes(manifest),
    ...checkWidgets(manifest, known),
    ...checkAi(manifest),
  ]
}

function checkSlug({ moduleId }: Manifest, catalog: readonly ScopeFacts[]): ManifestFinding[] {
  if (!featuresOf(catalog).has(moduleId)) return []
  const message = `\`${moduleId}\` is a feature of the scope catalog, so no app may have it as its slug.`
  return [{ path: 'moduleId', rule: 'slug-reserved', message, mend: 'Choose a name of your own.' }]
}

function checkWebhook({ external }: Manifest): ManifestFinding[] {
  if (!external?.webhookUrl || !isLoopbackUrl(external.webhookUrl)) return []
  const message = 'This host calls no loopback address (ALLOW_LOOPBACK_CALLBACKS).'
  const mend = 'Write an absolute HTTPS address without user name or password.'
  return [{ path: 'external.webhookUrl', rule: 'manifest-shape', message, mend }]
}

function checkEvents({ external }: Manifest, events: readonly string[]): ManifestFinding[] {
  return (external?.webhookEvents ?? []).flatMap((event, index): ManifestFinding[] => {
    if (events.includes(event)) return []
    const message = `There is no event \`${event}\`.`
    const mend = 'Take one of the `webhooks` of the OpenAPI description: no event may be invented.'
    return [{ path: `external.webhookEvents[${index}]`, rule: 'manifest-shape', message, mend }]
  })
}

function checkScope(
  scope: Manifest['scopes'][number],
  path: string,
  known: ReadonlyMap<string, ScopeFacts>,
): ManifestFinding[] {
  const entry = known.get(scope.key)
  if (!entry) return [invented(`${path}.key`, scope.key, known)]
  if (!entry.active) return [inactive(`${path}.key`, scope.key)]
  if (!entry.dangerous || lettersOf(scope.reason) >= leastReason) return []
  const message = `\`${scope.key}\` is dangerous: schools are shown its reason in warning style.`
  return [
    {
      path: `${path}.reason`,
      rule: 'scope-dangerous-reason',
      message,
      mend: `Write why the app cannot do without it, in ${leastReason} letters or more.`,
    },
  ]
}

function invented(path: string, key: string, known: ReadonlyMap<string, ScopeFacts>): ManifestFinding {
  const meant = nearest(key, known.keys())
  return {
    path,
    rule: 'scope-invented',
    message: `The catalog has no scope \`${key}\`.`,
    mend: meant
      ? `Did you mean \`${meant}\`? No scope may be invented.`
      : 'Take a scope of the catalog: no scope may be invented.',
  }
}

function inactive(path: string, key: string): ManifestFinding {
  return { path, rule: 'scope-inactive', message: `The scope \`${key}\` is no longer given.`, mend: 'Remove it.' }
}

const typeOfBlock = {
  external: ['external'],
  notification: ['notification'],
  payment: ['payment'],
  landing_widgets: ['embedded'],
  studentProfile: ['embedded'],
} as const

function checkBlocks(manifest: Manifest): ManifestFinding[] {
  const type = manifest.integrationType
  const misplaced = Object.entries(typeOfBlock).flatMap(([block, types]): ManifestFinding[] => {
    if (manifest[block as keyof typeof typeOfBlock] === undefined || (types as readonly string[]).includes(type))
      return []
    const message = `A \`${block}\` block belongs to an app of type ${types.join(' or ')}; this one is ${type}.`
    return [
      {
        path: block,
        rule: 'manifest-block',
        message,
        mend: `Remove the block, or make a new app of type ${types[0]}: the type of an app cannot be changed.`,
      },
    ]
  })
  const missing = (['notification', 'payment'] as const).flatMap((block): ManifestFinding[] => {
    if (type !== block || manifest[block] !== undefined) return []
    return [
      {
        path: block,
        rule: 'manifest-block',
        message: `An app of type ${type} needs the \`${block}\` block.`,
        mend: 'Add it.',
      },
    ]
  })
  return [...misplaced, ...missing]
}

function checkNotifications({ moduleId, notifications }: Manifest): ManifestFinding[] {
  return notifications.flatMap(({ key }, index): ManifestFinding[] => {
    if (key.startsWith(`${moduleId}.`)) return []
    const message = `\`${key}\` does not begin with the app's slug.`
    return [
      {
        path: `notifications[${index}].key`,
        rule: 'key_prefix',
        message,
        mend: `Write \`${moduleId}.${key.split('.').slice(1).join('.')}\`.`,
      },
    ]
  })
}

/** Choosing the type attaches the scopes: to send is required, to read the log is optional. */
function checkProviderScopes({ integrationType, scopes }: Manifest): ManifestFinding[] {
  if (integrationType !== 'notification') return []
  const send = scopes.findIndex((scope) => scope.key === 'notifications.providers.send')
  if (send < 0 || scopes[send]?.required) return []
  const message = 'A notification provider cannot do without `notifications.providers.send`.'
  return [{ path: `scopes[${send}].required`, rule: 'manifest-block', message, mend: 'Write true.' }]
}

function checkWidgets(
  { landing_widgets: widgets = [] }: Manifest,
  known: ReadonlyMap<string, ScopeFacts>,
): ManifestFinding[] {
  return widgets.flatMap((widget, index) => [
    ...widget.scopes.flatMap((key, at) => checkWidgetScope(known, key, `landing_widgets[${index}].scopes[${at}]`)),
    ...widget.public_writes.flatMap((key, at) =>
      checkPublicWrite(known, key, `landing_widgets[${index}].public_writes[${at}]`),
    ),
  ])
}

function checkWidgetScope(known: ReadonlyMap<string, ScopeFacts>, key: string, path: string): ManifestFinding[] {
  return known.has(key) ? [] : [invented(path, key, known)]
}

function checkPublicWrite(known: ReadonlyMap<string, ScopeFacts>, key: string, path: string): ManifestFinding[] {
  const entry = known.get(key)
  if (!entry) return [invented(path, key, known)]
  if (entry.active && entry.publicWritable) return []
  const message = `The catalog does not let the public write through \`${key}\`.`
  return [{ path, rule: 'widget-scope', message, mend: 'Take a scope the catalog flags public_writable.' }]
}

function checkAi({ aiSupport, aiMode }: Manifest): ManifestFinding[] {
  if (aiSupport === (aiMode !== undefined)) return []
  const message = aiSupport
    ? 'An app with AI says whose: `own` or `platform`.'
    : '`aiMode` without `aiSupport` says nothing.'
  return [
    {
      path: 'aiMode',
      rule: 'manifest-shape',
      message,
      mend: aiSupport ? 'Add `aiMode`.' : 'Set `aiSupport` to true, or remove `aiMode`.',
    },
  ]
}

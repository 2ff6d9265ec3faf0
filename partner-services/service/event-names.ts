/** Events about the installation itself or the platform: no scope stands before them. Source: specification, events. */
export const tokenRotated = 'partner.installation.token_rotated'
export const catalogChanged = 'partner_scopes.catalog.changed'

/** Sent while a version is reviewed, of no school; nobody subscribes to it. */
export const webhookPing = 'partner.webhook.ping'

const withoutScope: ReadonlySet<string> = new Set([tokenRotated, catalogChanged])

/** The scope that an installation must hold to learn of `event`; null where none is needed. */
export function scopeOfEvent(event: string): string | null {
  if (withoutScope.has(event)) return null
  const [feature, resource] = event.split('.')
  return `${feature}.${resource}.read`
}

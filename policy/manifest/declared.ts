import type { Declared } from '../scopes/analyse.ts'

const empty: Declared = { slug: '', scopes: [], notifications: [], egress: [], widgets: [] }

/**
 * What the code must agree with, taken from a manifest that may still be wrong elsewhere: the scan of the code should not
 * wait for the last field of the manifest.
 */
export function declaredIn(manifest: unknown, text: string): Declared {
  if (!isRecord(manifest)) return empty
  const lineOf = lineFinder(text)
  return {
    slug: typeof manifest.moduleId === 'string' ? manifest.moduleId : '',
    scopes: entries(manifest.scopes).flatMap(({ key }) =>
      typeof key === 'string' ? [{ key, line: lineOf(key) }] : [],
    ),
    notifications: entries(manifest.notifications).flatMap(({ key }) =>
      typeof key === 'string' ? [{ key, line: lineOf(key) }] : [],
    ),
    egress: entries(manifest.egress).flatMap(({ host }) => (typeof host === 'string' ? [host.toLowerCase()] : [])),
    widgets: entries(manifest.landing_widgets).flatMap(({ livewire_component: component }) =>
      typeof component === 'string' ? [{ component, line: lineOf(component) }] : [],
    ),
  }
}

/** The line of the first place where a JSON string stands. */
export function lineFinder(text: string): (value: string) => number {
  return (value) => {
    const index = text.indexOf(JSON.stringify(value))
    return index < 0 ? 1 : text.slice(0, index).split('\n').length
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function entries(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

import type { Locale } from '../../partner-services/service/errors.ts'

type Named = { displayName?: string | Record<Locale, string> }

/** An app's name in its reader's language, where its manifest names it in both. */
export function appName({ displayName, manifest }: { displayName: string; manifest: unknown }, locale: Locale): string {
  const { displayName: named } = (manifest ?? {}) as Named
  return typeof named === 'object' ? named[locale] : displayName
}

import { InvalidInputException } from '../../partner-services/service/errors.ts'
import { scopeCatalog } from '../../partner-services/scopes/catalog.ts'

/** A scope as the manifest requests it and as the administrator sees it. */
export type RequestedScope = {
  key: string
  required: boolean
  reason: string
  /** Shown in warning style. */
  dangerous: boolean
  description: { ar: string; en: string }
}

type ManifestScope = { key: string; required?: boolean; reason?: string }

const catalog = new Map(scopeCatalog.map((scope) => [scope.key, scope]))

/** The scopes of a manifest that can be granted: what is not in the catalog, or no longer active, is no scope. */
export function requestedScopes(manifest: unknown): RequestedScope[] {
  const { scopes = [] } = (manifest ?? {}) as { scopes?: ManifestScope[] }
  return scopes.flatMap(({ key, required = false, reason = '' }) => {
    const scope = catalog.get(key)
    if (!scope?.active) return []
    return [{ key, required, reason, dangerous: scope.dangerous, description: scope.description }]
  })
}

/**
 * What is granted when `chosen` is approved; all that is requested where nothing is chosen. Throws where a scope was
 * not requested, or a required one is missing.
 */
export function grantOf(requested: readonly RequestedScope[], chosen: readonly string[] | undefined): string[] {
  const keys = requested.map(({ key }) => key)
  if (!chosen) return keys
  const wanted = new Set(chosen)
  const wrong = [
    ...[...wanted].filter((key) => !keys.includes(key)).map((key) => `${key} is not requested`),
    ...requested.filter(({ key, required }) => required && !wanted.has(key)).map(({ key }) => `${key} is required`),
  ]
  if (wrong.length > 0) throw new InvalidInputException({ scopes: wrong })
  return keys.filter((key) => wanted.has(key))
}

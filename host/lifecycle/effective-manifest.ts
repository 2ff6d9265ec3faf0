type Json = Record<string, unknown>

/** Blocks that an app may declare once for all of its versions. Source: specification, versioning. */
export const inheritedFields = ['aiSupport', 'aiMode', 'notification', 'external', 'payment', 'mobile'] as const

/**
 * A version's own declaration wins; a blank field inherits the app's. Lists are one value: they are never mixed. What belongs
 * to another choice than the version's own is not inherited.
 */
export function effectiveManifest(declarations: Json, declared: Json): Json {
  const inherited = Object.fromEntries(
    inheritedFields
      .filter((name) => Object.hasOwn(declarations, name) && !isOfAnotherChoice(name, declarations, declared))
      .map((name) => [name, declarations[name]]),
  )
  return inherit(inherited, declared)
}

/** Whose AI it would be, where the version has none; the fields of another mode of mobile screens. */
function isOfAnotherChoice(name: (typeof inheritedFields)[number], declarations: Json, declared: Json): boolean {
  if (name === 'aiMode') return declared.aiSupport === false
  const [base, own] = [declarations[name], declared[name]]
  if (name !== 'mobile' || !isObject(base) || !isObject(own)) return false
  return !isBlank(own.mode) && own.mode !== base.mode
}

function inherit(base: Json, own: Json): Json {
  const merged: Json = { ...base }
  for (const [name, value] of Object.entries(own)) {
    if (isBlank(value)) continue
    const below = merged[name]
    merged[name] = isObject(value) && isObject(below) ? inherit(below, value) : value
  }
  // A blank without anything to inherit stays, for the manifest's checks to see.
  for (const [name, value] of Object.entries(own)) if (!Object.hasOwn(merged, name)) merged[name] = value
  return merged
}

const isBlank = (value: unknown) => value === undefined || value === null || value === ''
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

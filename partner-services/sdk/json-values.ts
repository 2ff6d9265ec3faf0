import { Html } from './html.ts'

/**
 * Throws a TypeError that names the place of what JSON would drop or change without a word: NaN and Infinity, a function, a
 * symbol, a Map, a Set, an iterator, a promise that nobody awaited, an Error, a part of a page, a Date of no moment, and
 * bigint, unless it has a `toJSON` of its own. A field of it would arrive as null
 * or not at all, and an update would erase what is stored. `undefined` is left to JSON.
 */
export function refuseLost(value: unknown, place: string): void {
  const loss = lossIn(value, [])
  if (loss) throw new TypeError(`${place}${loss.path} is ${loss.what}, which JSON cannot carry`)
}

/** `path` is from the value that was looked at, for example `.scores[3]`. */
type Loss = { path: string; what: string }

/** `above` are the objects that hold this value: JSON itself refuses one that holds itself. */
function lossIn(value: unknown, above: object[]): Loss | null {
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value) ? null : { path: '', what: String(value) }
    case 'function':
    case 'symbol':
    case 'bigint':
      return { path: '', what: `a ${typeof value}` }
    case 'object':
      return value === null || above.includes(value) ? null : lossInObject(value, above)
    default:
      return null
  }
}

function lossInObject(value: object, above: object[]): Loss | null {
  const isList = Array.isArray(value)
  if (value instanceof Date && Number.isNaN(value.getTime())) return { path: '', what: 'a Date of no moment' }
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return null
  const what = isList || Object.getPrototypeOf(value) === Object.prototype ? null : emptied(value)
  if (what !== null) return { path: '', what }
  above.push(value)
  const loss = isList ? lossInItems(value, above) : lossInFields(value as Record<string, unknown>, above)
  above.pop()
  return loss
}

/** Of what JSON writes as `{}`, whatever it holds: its name. */
function emptied(value: object): string | null {
  const kind = [Html, Map, Set, Promise].find((one) => value instanceof one)
  if (kind) return `a ${kind.name}`
  if (Object.keys(value).length > 0) return null
  if (value instanceof Error) return 'an Error'
  return 'next' in value || value instanceof URLSearchParams ? 'an iterator' : null
}

function lossInItems(items: readonly unknown[], above: object[]): Loss | null {
  for (let index = 0; index < items.length; index++) {
    const loss = lossIn(items[index], above)
    if (loss) return { ...loss, path: `[${index}]${loss.path}` }
  }
  return null
}

function lossInFields(fields: Record<string, unknown>, above: object[]): Loss | null {
  for (const key of Object.keys(fields)) {
    const loss = lossIn(fields[key], above)
    if (loss) return { ...loss, path: `.${key}${loss.path}` }
  }
  return null
}

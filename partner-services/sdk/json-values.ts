/**
 * Throws a TypeError that names the place of what JSON would drop or change without a word: NaN and Infinity, a function, a
 * symbol, a Map, a Set, a promise that nobody awaited, a Date of no moment, and bigint. A field of it would arrive as null
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
  const what = isList || Object.getPrototypeOf(value) === Object.prototype ? null : emptied(value)
  if (what !== null) return { path: '', what }
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return null
  above.push(value)
  const loss = isList ? lossInItems(value, above) : lossInFields(value as Record<string, unknown>, above)
  above.pop()
  return loss
}

/** Of what JSON writes as `{}` or null, whatever it holds: its name. */
function emptied(value: object): string | null {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'a Date of no moment' : null
  const kind = [Map, Set, Promise].find((one) => value instanceof one)
  return kind ? `a ${kind.name}` : null
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

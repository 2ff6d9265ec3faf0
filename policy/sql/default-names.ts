/**
 * The names that PostgreSQL would have given to an unnamed key or index. A key is rewritten to begin with the tenant,
 * which would change its default name, and a later `DROP CONSTRAINT notes_email_key` would miss.
 * Follows makeObjectName, ChooseIndexNameAddition, ChooseRelationName and ChooseConstraintName of the server.
 */
export const longest = 63

/** What the statements before have named, as far as it is known; a key is a constraint with an index. */
export type NamesInUse = { readonly indexes: Set<string>; readonly constraints: Set<string> }

const namedBy = {
  idx: ['indexes'],
  key: ['indexes', 'constraints'],
  fkey: ['constraints'],
} as const

export function noNames(): NamesInUse {
  return { indexes: new Set(), constraints: new Set() }
}

/** Notes the name that is given, or else the first one that is free, and answers it. */
export function takeName(
  names: NamesInUse,
  given: unknown,
  { table, columns, label }: { table: string; columns: readonly string[]; label: keyof typeof namedBy },
): string {
  const spaces = namedBy[label].map((space) => names[space])
  let name = typeof given === 'string' ? given : defaultName(table, columns, label)
  for (let count = 1; typeof given !== 'string' && spaces.some((space) => space.has(name)); count++)
    name = defaultName(table, columns, `${label}${count}`)
  for (const space of spaces) space.add(name)
  return name
}

function defaultName(table: string, columns: readonly string[], label: string): string {
  const addition = joined(columns)
  const room = longest - label.length - 2
  let tableLength = Buffer.byteLength(table)
  let additionLength = Buffer.byteLength(addition)
  while (tableLength + additionLength > room) {
    if (tableLength > additionLength) tableLength -= 1
    else additionLength -= 1
  }
  return `${clip(table, tableLength)}_${clip(addition, additionLength)}_${label}`
}

function joined(columns: readonly string[]): string {
  let text = ''
  for (const column of columns) {
    text += text === '' ? column : `_${column}`
    if (Buffer.byteLength(text) > longest) break
  }
  return text
}

/** The longest beginning of whole characters within so many bytes. */
export function clip(text: string, bytes: number): string {
  let end = text.length
  while (Buffer.byteLength(text.slice(0, end)) > bytes) end -= 1
  return text.slice(0, end)
}

/**
 * The names that PostgreSQL would have given to an unnamed key or index. A key is rewritten to begin with the tenant,
 * which would change its default name, and a later `DROP CONSTRAINT notes_email_key` would miss.
 * Follows makeObjectName, ChooseIndexNameAddition, ChooseRelationName and ChooseConstraintName of the server.
 */
import { type NamedObject, type NamesInUse, noteNames } from './names-in-use.ts'

export const longest = 63

const kinds = {
  idx: ['index'],
  key: ['index', 'constraint'],
  fkey: ['constraint'],
} as const

type ToName = {
  readonly table: string
  /** That a default name is made of. */
  readonly words: readonly string[]
  readonly columns: NamedObject['columns']
  readonly label: keyof typeof kinds
}

/** Notes the name that is given, or else the first default name that is free, and answers it. */
export function takeName(names: NamesInUse, given: unknown, { table, words, columns, label }: ToName): string {
  const isTaken = (name: string) => kinds[label].some((kind) => names.taken[kind].has(name))
  let name = typeof given === 'string' ? given : defaultName(table, words, label)
  for (let count = 1; typeof given !== 'string' && isTaken(name); count++)
    name = defaultName(table, words, `${label}${count}`)
  noteNames(
    names,
    kinds[label].map((kind) => ({ kind, name, table, columns })),
  )
  return name
}

function defaultName(table: string, words: readonly string[], label: string): string {
  const addition = joined(words)
  const room = longest - label.length - 2
  let tableLength = Buffer.byteLength(table)
  let additionLength = Buffer.byteLength(addition)
  while (tableLength + additionLength > room) {
    if (tableLength > additionLength) tableLength -= 1
    else additionLength -= 1
  }
  return `${clip(table, tableLength)}_${clip(addition, additionLength)}_${label}`
}

function joined(words: readonly string[]): string {
  let text = ''
  for (const word of words) {
    text += text === '' ? word : `_${word}`
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

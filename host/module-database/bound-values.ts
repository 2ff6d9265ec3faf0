import { ModuleSqlError } from './errors.ts'

/** `values` are what JSON can carry: they come from a guest. */
export type Statement = { text: string; values?: readonly unknown[] }

const mostValues = 1_000

/** How it is written depends on its parameter: as JSON, or as an array of the server. */
type List = { list: readonly unknown[]; json: string }
export type BoundValue = string | null | List

/** Values in PostgreSQL's text form, an object's is its JSON; what a list's is, `writeLists` says. */
export function bindValues(values: readonly unknown[] = []): BoundValue[] {
  if (values.length > mostValues)
    throw new ModuleSqlError(
      'sql_refused',
      `a statement has at most ${mostValues} bound values: a list is one, for = any (…)`,
    )
  return values.map((value) => (Array.isArray(value) ? { list: value, json: JSON.stringify(value) } : textOf(value)))
}

export const haveNoList = (values: readonly BoundValue[]): values is (string | null)[] =>
  values.every((value) => typeof value !== 'object' || value === null)

/** `types`: those of the statement's parameters. `[]` as an array is `{}`, which json would take for an object. */
export function writeLists(values: readonly BoundValue[], types: readonly number[]): (string | null)[] {
  return values.map((value, index) => {
    if (typeof value !== 'object' || value === null) return value
    const type = types[index]!
    if (jsonTypes.has(type)) return value.json
    if (textTypes.has(type)) throw new ModuleSqlError('sql_refused', listAsText)
    return arrayLiteral(jsonArrayTypes.has(type) ? value.list.map(jsonOf) : value.list, 0)
  })
}

/**
 * Those whose readers take any text, a list's too: `bytea`, `"char"`, `name`, `text`, `xml`, `char(…)`, `varchar`, `tsvector`
 * and `tsquery`. Any other scalar's own refuses one.
 */
const textTypes: ReadonlySet<number> = new Set([17, 18, 19, 25, 142, 1042, 1043, 3614, 3615])
// As text it would be `{"a","b"}`, which no id equals: `not in` would be true of every row.
const listAsText =
  'a list is bound where one text stands: write = any (…) for in, <> all (…) for not in, or a cast such as ::text[]'

/** `json` and `jsonb`. */
const jsonTypes: ReadonlySet<number> = new Set([114, 3802])
/** `json[]` and `jsonb[]`: a list in one is an item, and no second dimension. */
const jsonArrayTypes: ReadonlySet<number> = new Set([199, 3807])

const jsonOf = (item: unknown) => (Array.isArray(item) ? JSON.stringify(item) : item)

export const sizeOf = (text: string, values: readonly BoundValue[]): number =>
  values.reduce((size, value) => size + ((typeof value === 'string' ? value : value?.json)?.length ?? 0), text.length)

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'string') return value
  if (typeof value === 'object') return JSON.stringify(value)
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  throw new ModuleSqlError('sql_refused', `a ${typeof value} cannot be bound to a statement`)
}

function arrayLiteral(values: readonly unknown[], depth: number): string {
  // PostgreSQL's own limit.
  if (depth === 6) throw new ModuleSqlError('sql_refused', 'an array of more than six dimensions')
  const items = values.map((value) => {
    if (Array.isArray(value)) return arrayLiteral(value, depth + 1)
    const text = textOf(value)
    return text === null ? 'NULL' : `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
  })
  return `{${items.join(',')}}`
}

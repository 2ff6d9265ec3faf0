import { refuseLost } from './json-values.ts'

/** A statement with its values apart from its text: what the `sql` tag makes, and the only thing `db` takes. */
export type Sql = { readonly [brand]: true; readonly strings: readonly string[]; readonly values: readonly unknown[] }

const brand: unique symbol = Symbol('sql')

/**
 * Writes a statement. Every `${}` binds as a value; another `sql` fragment is spliced in as text with its own values.
 * A call that is no template is refused, so a concatenated string cannot become a statement.
 *
 * ```ts
 * const late = sql`returned_at is null and due_on < ${today}`
 * await db.rows<Loan>(sql`select * from loans where ${late} order by due_on`)
 * ```
 */
export function sql(template: TemplateStringsArray, ...parts: unknown[]): Sql {
  if (!Array.isArray(template) || !Object.hasOwn(template, 'raw')) throw new TypeError('sql is a template tag')
  const strings = [template[0]!]
  const values: unknown[] = []
  for (const [index, part] of parts.entries()) {
    const after = template[index + 1]!
    if (!isSql(part)) {
      values.push(part)
      strings.push(after)
      continue
    }
    values.push(...part.values)
    strings[strings.length - 1] += part.strings[0]!
    strings.push(...part.strings.slice(1))
    strings[strings.length - 1] += after
  }
  return { [brand]: true, strings, values }
}

export function isSql(value: unknown): value is Sql {
  return typeof value === 'object' && value !== null && brand in value
}

/** Text of our own as a fragment. Not for modules: the SDK does not export it. */
export const fragment = (text: string): Sql => ({ [brand]: true, strings: [text], values: [] })

/** The text with its parameters numbered, as PostgreSQL takes it. */
export function textOf(statement: Sql): string {
  return statement.strings.reduce((text, part, index) => `${text}$${index}${part}`)
}

/**
 * The statement as the host takes it: parameters numbered, values as JSON can carry them. Throws a TypeError that names the
 * parameter whose value it cannot: NaN would be stored as null.
 */
export function encodeStatement(statement: Sql): { text: string; values: unknown[] } {
  if (!isSql(statement)) throw new TypeError('db takes statements of the sql tag only')
  return { text: textOf(statement), values: statement.values.map(encodeValue) }
}

function encodeValue(value: unknown, index: number): unknown {
  if (typeof value === 'bigint') return String(value)
  refuseLost(value, `$${index + 1}`)
  return value === undefined ? null : value
}

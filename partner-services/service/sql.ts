/** A statement with its values apart from its text: what the `sql` tag makes, and the only thing a database takes. */
export type Sql = { readonly [brand]: true; readonly strings: readonly string[]; readonly values: readonly unknown[] }

const brand: unique symbol = Symbol('sql')

/**
 * Writes a statement. Every `${}` binds as a value; another `sql` fragment is spliced in as text with its own values.
 * A call that is no template is refused, so a concatenated string cannot become a statement.
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

/** Several conditions as one, each preceded by `and`; empty where there is none. */
export function and(...conditions: (Sql | null | false | '' | undefined)[]): Sql {
  return conditions.reduce<Sql>((all, one) => (one ? sql`${all} and ${one}` : all), sql``)
}

/** The text with its parameters numbered, as PostgreSQL takes it. */
export function textOf(statement: Sql): string {
  return statement.strings.reduce((text, part, index) => `${text}$${index}${part}`)
}

const plainName = /^[a-z_]+$/

/** A name of a table or column out of our own definitions, as a fragment. Anything but a plain name is refused. */
export function identifier(name: string): Sql {
  if (!plainName.test(name)) throw new TypeError('no plain name')
  return { [brand]: true, strings: [name], values: [] }
}

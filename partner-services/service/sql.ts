import { fragment, type Sql, sql } from '../sdk/sql.ts'

/** The platform's own statements are written with the tag that modules use. */
export { isSql, type Sql, sql, textOf } from '../sdk/sql.ts'

/** Several conditions as one, each preceded by `and`; empty where there is none. */
export function and(...conditions: (Sql | null | false | '' | undefined)[]): Sql {
  return conditions.reduce<Sql>((all, one) => (one ? sql`${all} and ${one}` : all), sql``)
}

const plainName = /^[a-z_]+$/

/** A name of a table or column out of our own definitions, as a fragment. Anything but a plain name is refused. */
export function identifier(name: string): Sql {
  if (!plainName.test(name)) throw new TypeError('no plain name')
  return fragment(name)
}

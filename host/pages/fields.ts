/** Fields by name: the last value of each, and all values of those that came more than once. */
export type ReadFields = { fields: Record<string, string>; repeated: Record<string, string[]> }

/** A form's or a query's fields as modules see them. `__proto__` is a name like any other. */
export function readFields(pairs: Iterable<readonly [string, string]>): ReadFields {
  const values = new Map<string, string[]>()
  for (const [name, value] of pairs) {
    const given = values.get(name)
    if (given) given.push(value)
    else values.set(name, [value])
  }
  const all = [...values]
  return {
    fields: Object.fromEntries(all.map(([name, given]) => [name, given.at(-1)!])),
    repeated: Object.fromEntries(all.filter(([, given]) => given.length > 1)),
  }
}

/** What Fastify makes of a form or a query: a list where a name came more than once. */
export const pairsOf = (parsed: unknown): [string, string][] =>
  Object.entries(parsed ?? {}).flatMap(([name, given]) =>
    [given].flat().map((value): [string, string] => [name, String(value)]),
  )

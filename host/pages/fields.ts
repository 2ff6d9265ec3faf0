/** Fields by name: the last value of each, and all values of those that came more than once. */
export type ReadFields = { fields: Record<string, string>; repeated: Record<string, string[]> }

/** A parsed form or query, a list where a name came more than once, as modules see it. `__proto__` is a name like any other. */
export function readFields(parsed: object): ReadFields {
  const given = Object.entries(parsed).map(([name, value]): [string, string[]] => [name, [value].flat().map(String)])
  return {
    fields: Object.fromEntries(given.map(([name, values]) => [name, values.at(-1) ?? ''])),
    repeated: Object.fromEntries(given.filter(([, values]) => values.length > 1)),
  }
}

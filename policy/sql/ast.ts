/**
 * Reading libpg-query's syntax tree. A node arrives wrapped, `{ SelectStmt: {...} }`, or, in a field that can hold one
 * type only, bare. The tree is treated as untyped data on purpose: the guard allows what it knows and refuses the rest,
 * and the published typings know fewer fields than the parser emits.
 */
export type Fields = Record<string, unknown>

/** The type and the fields of a wrapped node, or undefined when the value is none. */
export function unwrap(value: unknown): [type: string, fields: Fields] | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  let type: string | undefined
  for (const key in value) {
    if (type !== undefined) return undefined
    type = key
  }
  if (type === undefined) return undefined
  const first = type.charCodeAt(0)
  if (first < 65 || first > 90) return undefined
  return [type, (value as Fields)[type] as Fields]
}

/** The fields of a wrapped node of that type, or undefined. */
export function fieldsOf(value: unknown, type: string): Fields | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  return (value as Fields)[type] as Fields | undefined
}

/** The fields of those items of a list that are of the type. */
export function fieldsOfAll(list: unknown, type: string): Fields[] {
  return listOf(list).flatMap((item) => {
    const fields = fieldsOf(item, type)
    return fields ? [fields] : []
  })
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** The text of a `String` node; undefined for any other node, for instance the star of `t.*`. */
export function stringOf(value: unknown): string | undefined {
  return fieldsOf(value, 'String')?.sval as string | undefined
}

export function stringsOf(value: unknown): (string | undefined)[] {
  return listOf(value).map(stringOf)
}

/** The literal text of a constant such as `'notes_id_seq'`. */
export function literalOf(value: unknown): string | undefined {
  return (fieldsOf(value, 'A_Const')?.sval as Fields | undefined)?.sval as string | undefined
}

export function nodeOf(type: string, fields: Fields): Fields {
  return { [type]: fields }
}

export function stringNode(text: string): Fields {
  return nodeOf('String', { sval: text })
}

export function locationOf(fields: Fields): number | undefined {
  return typeof fields.location === 'number' ? fields.location : undefined
}

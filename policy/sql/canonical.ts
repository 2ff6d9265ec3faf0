/** A tree as text, without the places where its parts stood: equal for equal statements however they are written. */
export function canonical(tree: unknown): string {
  return JSON.stringify(tree, (key, value: unknown) => {
    if (positions.has(key)) return undefined
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}

const positions = new Set([
  'location',
  'stmt_len',
  'stmt_location',
  'rexpr_list_start',
  'rexpr_list_end',
  'list_start',
  'list_end',
])

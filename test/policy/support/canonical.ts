import { positions } from '../../../policy/sql/same-tree.ts'

/** A tree as text, without the places where its parts stood: equal for equal statements however they are written. */
export function canonical(tree: unknown): string {
  return JSON.stringify(tree, (key, value: unknown) => {
    if (positions.has(key)) return undefined
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}

/** Where parts of a statement stood in its text: no part of what it says. */
export const positions: ReadonlySet<string> = new Set([
  'location',
  'stmt_len',
  'stmt_location',
  'rexpr_list_start',
  'rexpr_list_end',
  'list_start',
  'list_end',
])

/** Whether two trees are of the same statement, however it is written. What is undefined is not there. */
export function isSameTree(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other
  if (Array.isArray(one) || Array.isArray(other)) return isSameList(one, other)
  return saysNoMoreThan(one, other) && saysNoMoreThan(other, one, () => true)
}

function isSameList(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false
  return one.every((item, at) => isSameTree(item, other[at]))
}

type Node = { readonly [field: string]: unknown }

function saysNoMoreThan(one: object, other: object, isSame = isSameTree): boolean {
  for (const field in one) {
    const value = (one as Node)[field]
    if (value === undefined || positions.has(field)) continue
    const there = (other as Node)[field]
    if (there === undefined || !isSame(value, there)) return false
  }
  return true
}

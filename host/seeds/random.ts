/** A small seeded generator (mulberry32): the same school at every seeding. Not for secrets. */
export type Random = {
  /** A whole number from 0 to `below` - 1. */
  integer(below: number): number
  pick<T>(items: readonly T[]): T
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
  const integer = (below: number) => Math.floor(next() * below)
  return { integer, pick: (items) => items[integer(items.length)]! }
}

const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** ULIDs of one fixed moment, in ascending order. `kind` keeps the ids of different tables apart. */
export function createIds(kind: number): () => string {
  const moment = '01J6000000'
  let count = 0
  return () => {
    count += 1
    let digits = ''
    for (let rest = kind * 1_000_000 + count; digits.length < 16; rest = Math.floor(rest / 32))
      digits = crockford[rest % 32] + digits
    return moment + digits
  }
}

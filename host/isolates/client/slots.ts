/** Values by number, for those that come and go all the time. */
export type Slots<Value> = {
  size(): number
  /** A number above all that were given before; the next one's, where that has a place. */
  next(): number
  /** The highest number given. */
  last(): number
  get(number: number): Value | undefined
  /** `number` comes from `next`, and nothing was put elsewhere since. */
  set(number: number, value: Value): void
  delete(number: number): void
  values(): Value[]
  /** The first that passes, in no order; without a copy of them all. */
  find(test: (value: Value) => boolean): Value | undefined
  /** Neither puts nor deletes any meanwhile. */
  forEach(visit: (value: Value) => void): void
}

const fewest = 16

/**
 * A Map makes itself a new table every few entries, and V8 lets each old table point at its successor. Once one of them has
 * grown old, whatever any later one held outlives every young collection: two thirds of a busy web process's time in
 * those. Here an entry's place is its number in a ring, and what leaves is gone.
 */
export function createSlots<Value>(): Slots<Value> {
  let held: ({ number: number; value: Value } | undefined)[] = new Array(fewest).fill(undefined)
  let size = 0
  let last = 0
  const placeOf = (number: number) => number % held.length

  function grow(): void {
    const all = held
    held = new Array(all.length * 2).fill(undefined)
    for (const entry of all) if (entry) held[placeOf(entry.number)] = entry
  }
  return {
    size: () => size,
    last: () => last,
    next() {
      if (size * 2 >= held.length) grow()
      do last++
      while (held[placeOf(last)] !== undefined)
      return last
    },
    get(number) {
      const entry = held[placeOf(number)]
      return entry?.number === number ? entry.value : undefined
    },
    set(number, value) {
      held[placeOf(number)] = { number, value }
      size++
    },
    delete(number) {
      if (held[placeOf(number)]?.number !== number) return
      held[placeOf(number)] = undefined
      size--
    },
    values: () => held.flatMap((entry) => (entry ? [entry.value] : [])),
    find(test) {
      for (const entry of held) if (entry && test(entry.value)) return entry.value
      return undefined
    },
    forEach(visit) {
      for (const entry of held) if (entry) visit(entry.value)
    },
  }
}

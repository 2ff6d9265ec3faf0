/** A set of pairs of numbers, both above 0. `add` says whether the pair is new. */
export type PairSet = { add(first: number, second: number): boolean }

/** Open addressing over plain numbers: hundreds of thousands of pairs would each cost a `Set` an object of its own. */
export function createPairSet(): PairSet {
  let table = new Int32Array(2 * 1024)
  let count = 0
  const place = (into: Int32Array, first: number, second: number): number => {
    const mask = into.length / 2 - 1
    const mixed = Math.imul(first, 0x9e37_79b1) ^ Math.imul(second, 0x85eb_ca6b)
    let slot = (mixed ^ (mixed >>> 15)) & mask
    while (into[2 * slot] !== 0 && (into[2 * slot] !== first || into[2 * slot + 1] !== second)) slot = (slot + 1) & mask
    return 2 * slot
  }
  const grow = () => {
    const larger = new Int32Array(table.length * 2)
    for (let index = 0; index < table.length; index += 2) {
      const [first, second] = [table[index] ?? 0, table[index + 1] ?? 0]
      if (first === 0) continue
      const slot = place(larger, first, second)
      larger[slot] = first
      larger[slot + 1] = second
    }
    table = larger
  }
  return {
    add(first, second) {
      const index = place(table, first, second)
      if (table[index] !== 0) return false
      table[index] = first
      table[index + 1] = second
      if (++count * 3 > table.length) grow()
      return true
    },
  }
}

/**
 * Values by key within `most` in all, in the unit of their sizes; the longest unused are dropped first. One that is larger
 * than all that is kept alone.
 */
export function createKeptBySize<Value>(most: number, onDropped: (value: Value) => void = () => {}) {
  const kept = new Map<string, { value: Value; size: number }>()
  let total = 0

  return {
    get(key: string): Value | undefined {
      const found = kept.get(key)
      if (found === undefined) return undefined
      kept.delete(key)
      kept.set(key, found)
      return found.value
    },
    put(key: string, value: Value, size: number): void {
      total -= kept.get(key)?.size ?? 0
      kept.delete(key)
      for (const [oldest, dropped] of kept) {
        if (total + size <= most) break
        kept.delete(oldest)
        total -= dropped.size
        onDropped(dropped.value)
      }
      kept.set(key, { value, size })
      total += size
    },
  }
}

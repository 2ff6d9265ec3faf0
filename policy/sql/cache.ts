/** A bounded memory of verdicts, the least recently used dropped first. A verdict depends on nothing but its key. */
export type VerdictCache<T> = {
  get(key: string): T | undefined
  set(key: string, value: T): void
  readonly size: number
}

export type CacheLimits = { readonly entries: number /** Of all keys together. */; readonly characters: number }

export function createCache<T>(limits: CacheLimits): VerdictCache<T> {
  const entries = new Map<string, T>()
  let characters = 0

  function drop(key: string): void {
    if (entries.delete(key)) characters -= key.length
  }

  return {
    get(key) {
      const value = entries.get(key)
      if (value === undefined) return undefined
      entries.delete(key)
      entries.set(key, value)
      return value
    },
    set(key, value) {
      drop(key)
      if (key.length > limits.characters) return
      entries.set(key, value)
      characters += key.length
      for (const oldest of entries.keys()) {
        if (entries.size <= limits.entries && characters <= limits.characters) return
        drop(oldest)
      }
    },
    get size() {
      return entries.size
    },
  }
}

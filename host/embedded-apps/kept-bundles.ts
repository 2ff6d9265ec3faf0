import type { Bundle } from './installed-modules.ts'

/** Of text two bytes a character, which is what it takes where one of them is no Latin letter. */
const bytesOf = ({ code, sourceMap, codeCache }: Bundle): number =>
  2 * (code.length + (sourceMap?.length ?? 0)) + (codeCache?.length ?? 0)

/**
 * What was read of versions last, within `most` bytes in all, the longest unused dropped first. One that is larger than all
 * that is handed out and not kept.
 */
export function createKeptBundles<Kept extends { bundle: Bundle }>(most: number) {
  const kept = new Map<string, { value: Kept; bytes: number }>()
  let total = 0

  const drop = (key: string) => {
    total -= kept.get(key)?.bytes ?? 0
    kept.delete(key)
  }
  return {
    get(key: string): Kept | undefined {
      const found = kept.get(key)
      if (found === undefined) return undefined
      kept.delete(key)
      kept.set(key, found)
      return found.value
    },
    put(key: string, value: Kept): void {
      drop(key)
      const bytes = bytesOf(value.bundle)
      if (bytes > most) return
      for (const oldest of kept.keys()) {
        if (total + bytes <= most) break
        drop(oldest)
      }
      kept.set(key, { value, bytes })
      total += bytes
    },
  }
}

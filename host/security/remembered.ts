import type { TokenEpoch } from './token-epoch.ts'

/** What the database said a moment ago, for as long as nothing has changed that could make it wrong. */
export type Remembered<Value> = {
  /** The value of `key` where it may be used from memory, without waiting. */
  peek(key: string): Value | undefined
  /**
   * The value of `key`: from memory where that may be used and `fits`, else by `read`. Null is never kept: anyone can ask for
   * what is not there.
   */
  recall(key: string, read: () => Promise<Value | null>, fits?: (value: Value) => boolean): Promise<Value | null>
}

/** Who tells what may be remembered. */
export type Epoch = Pick<TokenEpoch, 'current' | 'changed'>

/**
 * Each value is of one tenant: a change that concerns the tenant ends all of its values at once, and no process answers from
 * memory that cannot confirm its epoch. `lifetime`, in milliseconds, only bounds the memory's age. The oldest of more than
 * `entries` go.
 */
export function createRemembered<Value>(
  epoch: Epoch,
  options: { tenantOf: (value: Value) => string; lifetime: number; entries: number; clock: () => Date },
): Remembered<Value> {
  const { tenantOf, lifetime, entries, clock } = options
  const known = new Map<string, { value: Value; readAt: number; until: number }>()
  const holds = (value: Value, readAt: number) => readAt >= epoch.changed(tenantOf(value))
  const peek = (key: string): Value | undefined => {
    const hit = known.get(key)
    if (!hit || hit.until <= clock().getTime() || epoch.current() === null) return undefined
    return holds(hit.value, hit.readAt) ? hit.value : undefined
  }
  return {
    peek,
    async recall(key, read, fits = () => true) {
      const hit = peek(key)
      if (hit !== undefined && fits(hit)) return hit
      const [asked, now] = [epoch.current(), clock().getTime()]
      const value = await read()
      // An answer that was under way while its tenant changed may be older than the change.
      if (value !== null && asked !== null && holds(value, asked)) {
        known.delete(key)
        if (known.size >= entries) known.delete(known.keys().next().value!)
        known.set(key, { value, readAt: asked, until: now + lifetime })
      }
      return value
    },
  }
}

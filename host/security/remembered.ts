import type { TokenEpoch } from './token-epoch.ts'

/** What the database said a moment ago, for as long as nothing has changed that could make it wrong. */
export type Remembered<Value> = {
  /** The value of `key` where it may be used from memory, without waiting. */
  peek(key: string): Value | undefined
  /** The value of `key`: from memory where that may be used, else by `read`. Null is never kept: anyone can ask for what is not there. */
  recall(key: string, read: () => Promise<Value | null>): Promise<Value | null>
}

/**
 * Each value belongs to the epoch in which it was read: the change that raises the epoch ends them all at once, and no
 * process answers from memory that cannot confirm its epoch. `lifetime`, in milliseconds, only bounds the memory's age.
 */
export function createRemembered<Value>(
  epoch: Pick<TokenEpoch, 'current'>,
  { lifetime, entries, clock }: { lifetime: number; entries: number; clock: () => Date },
): Remembered<Value> {
  const known = new Map<string, { value: Value; epoch: number; until: number }>()
  const peek = (key: string): Value | undefined => {
    const hit = known.get(key)
    return hit && hit.epoch === epoch.current() && hit.until > clock().getTime() ? hit.value : undefined
  }
  return {
    peek,
    async recall(key, read) {
      const hit = peek(key)
      if (hit !== undefined) return hit
      const [asked, now] = [epoch.current(), clock().getTime()]
      const value = await read()
      // An answer that was under way while the epoch changed may be older than the change.
      if (value !== null && asked !== null && asked === epoch.current()) {
        if (known.size >= entries) known.clear()
        known.set(key, { value, epoch: asked, until: now + lifetime })
      }
      return value
    },
  }
}

/** Failed sign-ins within the window after which a user name, or an address, has to wait. */
const limits = { account: 10, address: 50 }
const windowMs = 15 * 60_000
const mostKeys = 50_000

export type SignInThrottle = {
  /**
   * Seconds to wait, or 0: then this attempt is counted as a failed one until `succeeded` takes it back. Counting comes
   * before the slow check of the password, so that attempts at the same time count each other.
   */
  attempt(username: string, address: string): number
  succeeded(username: string, address: string): void
}

/** Slows guessing down, per user name and per address. Counted by each web process. */
export function createSignInThrottle(clock: () => Date): SignInThrottle {
  const failures = new Map<string, { count: number; since: number }>()
  const keysOf = (username: string, address: string) => [
    [`account ${username}`, limits.account] as const,
    [`address ${address}`, limits.address] as const,
  ]
  /** The oldest go first: a flood of invented names must not wash away the count of a name under attack. */
  function makeRoom(now: number): void {
    for (const [key, { since }] of failures) {
      if (failures.size < mostKeys && since + windowMs > now) return
      failures.delete(key)
    }
  }
  return {
    attempt(username, address) {
      const now = clock().getTime()
      makeRoom(now)
      const waits = keysOf(username, address).map(([key, limit]) => {
        const seen = failures.get(key)
        return seen && seen.count >= limit ? Math.ceil((seen.since + windowMs - now) / 1_000) : 0
      })
      const wait = Math.max(0, ...waits)
      if (wait > 0) return wait
      for (const [key] of keysOf(username, address)) {
        const seen = failures.get(key)
        failures.delete(key)
        failures.set(
          key,
          seen && seen.since + windowMs > now ? { ...seen, count: seen.count + 1 } : { count: 1, since: now },
        )
      }
      return 0
    },
    succeeded(username, address) {
      failures.delete(`account ${username}`)
      const seen = failures.get(`address ${address}`)
      if (seen) seen.count--
    },
  }
}

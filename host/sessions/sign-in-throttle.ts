/** Failed sign-ins within the window after which a user name, or an address, has to wait. */
const limits = { account: 10, address: 50 }
const windowMs = 15 * 60_000
const mostKeys = 50_000

export type SignInThrottle = {
  /** Seconds to wait, or 0. */
  waitFor(username: string, address: string): number
  failed(username: string, address: string): void
  succeeded(username: string): void
}

/** Slows guessing down, per user name and per address. Counted by each web process. */
export function createSignInThrottle(clock: () => Date): SignInThrottle {
  const failures = new Map<string, { count: number; since: number }>()
  const keysOf = (username: string, address: string) => [
    [`account ${username}`, limits.account] as const,
    [`address ${address}`, limits.address] as const,
  ]
  return {
    waitFor(username, address) {
      const now = clock().getTime()
      const waits = keysOf(username, address).map(([key, limit]) => {
        const seen = failures.get(key)
        return seen && seen.count >= limit ? Math.ceil((seen.since + windowMs - now) / 1_000) : 0
      })
      return Math.max(0, ...waits)
    },
    failed(username, address) {
      const now = clock().getTime()
      if (failures.size > mostKeys) failures.clear()
      for (const [key] of keysOf(username, address)) {
        const seen = failures.get(key)
        if (!seen || seen.since + windowMs <= now) failures.set(key, { count: 1, since: now })
        else seen.count++
      }
    },
    succeeded: (username) => void failures.delete(`account ${username}`),
  }
}

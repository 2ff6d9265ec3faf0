import { createHmac } from 'node:crypto'
import type pg from 'pg'
import { networkOf } from './network.ts'

/**
 * Failed sign-ins within the window after which a user name, or a network, has to wait. A school of two thousand is one
 * network: in a morning's quarter of an hour one in ten mistypes, and whoever is just signing in is counted too.
 */
const limits = { account: 10, network: 300 }
const window = '15 minutes'

export type SignInThrottle = {
  /**
   * Seconds to wait, or 0: then this attempt is counted as a failed one until `succeeded` takes it back. Counting comes
   * before the slow check of the password, so that attempts at the same time count each other.
   */
  attempt(username: string, address: string): Promise<number>
  succeeded(username: string, address: string): Promise<void>
}

/** Slows guessing down, exact over all web processes: one round trip to PostgreSQL for each attempt. */
export function createSignInThrottle(options: { system: pg.Pool; key: Buffer; clock: () => Date }): SignInThrottle {
  const { system, key, clock } = options
  const keyed = (kind: keyof typeof limits, text: string): Buffer =>
    createHmac('sha256', key).update(`sign-in ${kind}:${text}`).digest()
  const keysOf = (username: string, address: string) => ({
    account: keyed('account', username),
    network: keyed('network', networkOf(address)),
  })
  return {
    async attempt(username, address) {
      const { account, network } = keysOf(username, address)
      const { rows } = await system.query<{ wait: number }>({
        name: 'sign-in attempt',
        text: 'select core.count_sign_in_attempt($1, $2, $3, $4, $5, $6) as wait',
        values: [account, limits.account, network, limits.network, clock(), window],
      })
      return rows[0]!.wait
    },
    async succeeded(username, address) {
      const { account, network } = keysOf(username, address)
      await system.query({
        name: 'sign-in succeeded',
        text: `with taken as materialized (select key from core.sign_in_attempts where key in ($1, $2) order by key = $2 for update)
          update core.sign_in_attempts a set failures = greatest(0, failures - 1) from taken where a.key = taken.key`,
        values: [account, network],
      })
    },
  }
}

import { createHmac } from 'node:crypto'
import type pg from 'pg'
import { networkOf } from './network.ts'

/**
 * Failed sign-ins within the window after which a user name, or a network, has to wait. A school of two thousand is one
 * network: in a morning's quarter of an hour one in ten mistypes, and whoever is just signing in is counted too.
 */
const limits = { account: 10, network: 300 }
const window = '15 minutes'

/**
 * Who tries, and from where. `device`: the id of a browser from which this very person signed in before, else null. Such a
 * browser is counted by itself: so nobody who guesses at a name, or spends a school's network, locks out those who are
 * known there.
 */
export type SignInAttempt = { username: string; address: string; device: string | null }

export type SignInThrottle = {
  /**
   * Seconds to wait, or 0: then this attempt is counted as a failed one until `succeeded` takes it back. Counting comes
   * before the slow check of the password, so that attempts at the same time count each other.
   */
  attempt(attempt: SignInAttempt): Promise<number>
  succeeded(attempt: SignInAttempt): Promise<void>
}

/** Slows guessing down, exact over all web processes: one round trip to PostgreSQL for each attempt. */
export function createSignInThrottle(options: { system: pg.Pool; key: Buffer; clock: () => Date }): SignInThrottle {
  const { system, key, clock } = options
  const keyed = (text: string): Buffer => createHmac('sha256', key).update(`sign-in ${text}`).digest()
  const keysOf = ({ username, address, device }: SignInAttempt) =>
    device === null
      ? { account: keyed(`account:${username}`), network: keyed(`network:${networkOf(address)}`) }
      : { account: keyed(`account on ${device}:${username}`), network: keyed(`device:${device}`) }
  return {
    async attempt(attempt) {
      const { account, network } = keysOf(attempt)
      const { rows } = await system.query<{ wait: number }>({
        name: 'sign-in attempt',
        text: 'select core.count_sign_in_attempt($1, $2, $3, $4, $5, $6) as wait',
        values: [account, limits.account, network, limits.network, clock(), window],
      })
      return rows[0]!.wait
    },
    async succeeded(attempt) {
      const { account, network } = keysOf(attempt)
      await system.query({
        name: 'sign-in succeeded',
        text: `with taken as materialized (select key from core.sign_in_attempts where key in ($1, $2) order by key = $2 for update)
          update core.sign_in_attempts a set failures = greatest(0, failures - 1) from taken where a.key = taken.key`,
        values: [account, network],
      })
    },
  }
}

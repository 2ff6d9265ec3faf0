import { createHmac } from 'node:crypto'
import type pg from 'pg'
import { networkOf } from './network.ts'

/**
 * Failed sign-ins within the window after which a user name, or a network, has to wait. A school of two thousand is one
 * network: in a morning's quarter of an hour one in ten mistypes, and whoever is just signing in is counted too.
 */
const limits = { account: 10, network: 300 }
/**
 * Sessions that one account may begin within the window. Each costs the check of a password, and what it ends makes every web
 * process forget what it remembers: whoever knows one password could else hold up all schools with it.
 */
const mostSessions = 100
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
  /** Counted as a session of the account's instead. */
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
  const sessionsKey = ({ username }: SignInAttempt): Buffer => keyed(`sessions:${username}`)
  return {
    async attempt(attempt) {
      const { account, network } = keysOf(attempt)
      const { rows } = await system.query<{ wait: number }>({
        name: 'sign-in attempt',
        text: `select coalesce(
          (select greatest(1, ceil(extract(epoch from since + $6::interval - $5::timestamptz)))::integer from core.sign_in_attempts
            where key = $7 and failures >= $8 and since > $5::timestamptz - $6::interval),
          core.count_sign_in_attempt($1, $2, $3, $4, $5, $6)) as wait`,
        values: [
          ...[account, limits.account, network, limits.network, clock(), window],
          ...[sessionsKey(attempt), mostSessions],
        ],
      })
      return rows[0]!.wait
    },
    async succeeded(attempt) {
      const { account, network } = keysOf(attempt)
      await system.query({
        name: 'sign-in succeeded',
        text: `with taken as materialized (select key from core.sign_in_attempts where key in ($1, $2) order by key = $2 for update),
          given_back as (
            update core.sign_in_attempts a set failures = greatest(0, failures - 1) from taken where a.key = taken.key)
          insert into core.sign_in_attempts as a values ($3, $4, 1) on conflict (key) do update set
            since = case when a.since > $4::timestamptz - $5::interval then a.since else $4 end,
            failures = case when a.since > $4::timestamptz - $5::interval then a.failures + 1 else 1 end`,
        values: [account, network, sessionsKey(attempt), clock(), window],
      })
    },
  }
}

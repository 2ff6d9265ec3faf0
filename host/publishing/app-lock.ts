import type pg from 'pg'
import { withSession } from '../database/with-session.ts'
import { inTurns } from '../processes/at-most.ts'

const lockSpace = 7_413

/** Sessions that hold or wait for an app: those of every other process are left. */
const sessionsAtOnce = 4

/** One publishing or roll-back of an app at a time, over all hosts. */
export type AppLock = <Result>(slug: string, work: () => Promise<Result>) => Promise<Result>

/** Who waits for an app behind another of this host has no session yet, and gets one in turn. */
export function createAppLock(credential: pg.ClientConfig): AppLock {
  const inTurn = inTurns(sessionsAtOnce)
  return (slug, work) =>
    inTurn(slug, () =>
      withSession(credential, async (session) => {
        await session.query('select pg_advisory_lock($1, hashtext($2))', [lockSpace, slug])
        return work()
      }),
    )
}

import { withSession } from '../database/with-session.ts'
import type { PublisherContext } from './publisher-context.ts'

const lockSpace = 7_413

/** One publishing of an app at a time, over all hosts. */
export function withAppLock<Result>(
  { credential }: PublisherContext,
  slug: string,
  work: () => Promise<Result>,
): Promise<Result> {
  return withSession(credential, async (session) => {
    await session.query('select pg_advisory_lock($1, hashtext($2))', [lockSpace, slug])
    return work()
  })
}

import pg from 'pg'
import type { PublisherContext } from './publisher-context.ts'

const lockSpace = 7_413

/** One publishing of an app at a time, over all hosts. The lock is a session's: a killed publisher leaves none. */
export async function withAppLock<Result>(
  { credential }: PublisherContext,
  slug: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const session = new pg.Client(credential)
  session.on('error', () => {})
  await session.connect()
  try {
    await session.query('select pg_advisory_lock($1, hashtext($2))', [lockSpace, slug])
    return await work()
  } finally {
    await session.end()
  }
}

import pg from 'pg'

/**
 * A session of its own for `work`. What it holds, such as an advisory lock, ends with it, also where this process is killed.
 */
export async function withSession<Result>(
  credential: pg.ClientConfig,
  work: (session: pg.Client) => Promise<Result>,
): Promise<Result> {
  const session = new pg.Client(credential)
  session.on('error', () => {})
  await session.connect()
  try {
    return await work(session)
  } finally {
    await session.end()
  }
}

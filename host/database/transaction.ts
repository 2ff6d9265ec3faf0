import type pg from 'pg'
import { type Row, runPipeline, type Statement } from './pipeline.ts'
import { enterTenant, isDatabaseError } from './statements.ts'

/** A transaction of one tenant that begins with its first statement and sends what can wait with the next trip. */
export type Transaction = {
  run(statements: Statement[]): Promise<Row[][]>
  /** Sent before the commit, in the same round trip; its rows are nobody's. */
  defer(statements: Statement[]): void
}

const begin: Statement = { text: 'begin', values: [] }
const commit: Statement = { text: 'commit', values: [] }
const rollback: Statement = { text: 'rollback', values: [] }

/** Runs `work` in a transaction: commits when it resolves, rolls back when it rejects. */
export async function withTransaction<Result>(
  pool: pg.Pool,
  tenantId: string,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  let waiting: Statement[] = [begin, enterTenant(tenantId)]
  let broken = false
  const trip = async (statements: Statement[]) => {
    const before = waiting
    waiting = []
    try {
      return (await runPipeline(client, [...before, ...statements])).slice(before.length)
    } catch (error) {
      broken = !isDatabaseError(error)
      throw error
    }
  }
  try {
    const result = await work({ run: trip, defer: (statements) => waiting.push(...statements) })
    await trip([commit])
    return result
  } catch (error) {
    if (!broken) await runPipeline(client, [rollback]).catch(() => (broken = true))
    throw error
  } finally {
    client.release(broken)
  }
}

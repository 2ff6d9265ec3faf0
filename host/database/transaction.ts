import type pg from 'pg'
import { type Row, runPipeline, type Statement } from './pipeline.ts'
import { enterTenant, isDatabaseError } from './statements.ts'
import type { TenantPool } from './tenant-pool.ts'
import { bePatient, mayWaitAndRunLong } from './time-limits.ts'

/** A transaction of one tenant. It takes a connection with its first statement and sends what can wait with the next trip. */
export type Transaction = {
  run(statements: Statement[]): Promise<Row[][]>
  /** Sent before the commit, in the same round trip; its rows are nobody's. */
  defer(statements: Statement[]): void
  /** Drops what is deferred. */
  forget(): void
  commit(): Promise<void>
  /** Undoes everything; `after` runs in the same round trip, in a transaction of its own. */
  rollback(after?: Statement[]): Promise<Row[][]>
}

const begin: Statement = { text: 'begin', values: [] }
const commit: Statement = { text: 'commit', values: [] }
const rollback: Statement = { text: 'rollback', values: [] }

/** `long`: done whole or not at all and seldom repeated, it may wait for whoever is before it and run for as long as it takes. */
export type TransactionOptions = { long: boolean }

/** Whoever opens it must end it by `commit` or `rollback`: only then does its connection go back to the pool. */
export function openTransaction(
  pool: TenantPool,
  tenantId: string,
  { long }: TransactionOptions = { long: false },
): Transaction {
  let client: pg.PoolClient | null = null
  let lost = false
  let waiting: Statement[] = [begin, enterTenant(tenantId), ...(long ? [mayWaitAndRunLong] : [])]
  const release = (broken: boolean) => {
    if (client) pool.release(tenantId, client, broken)
    client = null
  }
  const connect = async () => {
    const connected = await pool.connect(tenantId)
    if (long) bePatient(connected)
    return connected
  }
  const trip = async (before: Statement[], statements: Statement[]) => {
    if (lost) throw new Error('the connection of this transaction is lost')
    client ??= await connect()
    try {
      return (await runPipeline(client, [...before, ...statements])).slice(before.length)
    } catch (error) {
      lost = !isDatabaseError(error)
      if (lost) release(true)
      throw error
    }
  }
  const takeWaiting = () => {
    const taken = waiting
    waiting = []
    return taken
  }
  return {
    run: (statements) => trip(takeWaiting(), statements),
    defer: (statements) => void waiting.push(...statements),
    forget: () => void takeWaiting(),
    async commit() {
      await trip(takeWaiting(), [commit])
      release(false)
    },
    async rollback(after = []) {
      const open = client !== null
      if (!open && after.length === 0) return []
      try {
        const tail = after.length > 0 ? [enterTenant(tenantId), ...after] : []
        const results = await trip(open ? [rollback] : [], tail)
        release(false)
        return results.slice(1)
      } catch (error) {
        release(true)
        throw error
      }
    },
  }
}

/** Runs `work` in a transaction: commits when it resolves, rolls back when it rejects. */
export async function withTransaction<Result>(
  pool: TenantPool,
  tenantId: string,
  work: (transaction: Transaction) => Promise<Result>,
  options?: TransactionOptions,
): Promise<Result> {
  const transaction = openTransaction(pool, tenantId, options)
  try {
    const result = await work(transaction)
    await transaction.commit()
    return result
  } catch (error) {
    await transaction.rollback().catch(() => {})
    throw error
  }
}

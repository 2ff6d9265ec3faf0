import type { Caller } from '../../partner-services/service/caller.ts'
import { errorBody, ServiceError } from '../../partner-services/service/errors.ts'
import type { DomainEvent, Idempotency, OperationResponse, UnitOfWork } from '../../partner-services/service/ports.ts'
import {
  claimKey,
  inProgress,
  isStillClaimed,
  isStored,
  isTaken,
  readKey,
  releaseKey,
  replay,
  storeAnswer,
} from './idempotency.ts'
import type { Row, Statement } from './pipeline.ts'
import type { RateLimit } from './rate-limit.ts'
import { tenantDatabase } from './tenant-database.ts'
import type { TenantPool } from './tenant-pool.ts'
import { openTransaction, type Transaction } from './transaction.ts'

export type Work = (unit: UnitOfWork) => Promise<OperationResponse>

/** What a write needs besides its work. */
export type WriteContext = {
  pool: TenantPool
  limit: RateLimit
  clock: () => Date
  eventStatements: (caller: Caller, event: DomainEvent) => Statement[]
}

const savepoint: Statement = { text: 'savepoint guard', values: [] }
const backToSavepoint: Statement = { text: 'rollback to savepoint guard', values: [] }

const mostAttempts = 3

/**
 * Runs a write in one transaction. The key's claim and the count of the request travel with the first statement of the
 * work, the answer with the commit. Where the work is refused, its own changes are undone and these two are kept.
 */
export async function write(
  context: WriteContext,
  caller: Caller,
  idempotency: Idempotency | null,
  work: Work,
): Promise<OperationResponse> {
  context.limit.refuseExhausted(caller)
  for (let attempt = 1; attempt <= mostAttempts; attempt++) {
    const response = await writeOnce(context, caller, idempotency, work)
    if (response) return response
  }
  throw inProgress()
}

/** Null where the key turned out to be free again and everything may be tried anew. */
async function writeOnce(context: WriteContext, caller: Caller, idempotency: Idempotency | null, work: Work) {
  const transaction = openTransaction(context.pool, caller.tenant.id)
  const guard = guardOf(context, caller, idempotency, transaction)
  try {
    const response = await work({
      db: tenantDatabase(guard.run),
      emit: (event) => transaction.defer(context.eventStatements(caller, event)),
    })
    await guard.raise()
    if (idempotency) transaction.defer([storeAnswer(caller, idempotency, response)])
    await transaction.commit()
    return response
  } catch (error) {
    try {
      return await guard.settle(error)
    } finally {
      await transaction.rollback().catch(() => {})
    }
  }
}

function guardOf(context: WriteContext, caller: Caller, idempotency: Idempotency | null, transaction: Transaction) {
  const { limit, clock } = context
  const claim = idempotency ? claimKey(caller, idempotency, clock()) : []
  // An attempt before this one may have counted the request.
  const count = caller.meter?.used === null ? [limit.statement(caller)] : []
  const accept = (rows: Row[] | undefined) => {
    if (count.length > 0) limit.accept(caller, rows)
  }
  const before = claim.length + count.length > 0 ? [...claim, ...count, savepoint] : []
  let state: 'down' | 'sent' | 'up' = before.length > 0 ? 'down' : 'up'

  const run = async (statements: Statement[]) => {
    if (state === 'up') return transaction.run(statements)
    state = 'sent'
    const results = await transaction.run([...before, ...statements])
    state = 'up'
    accept(results[claim.length])
    return results.slice(before.length)
  }
  const raise = async () => {
    if (state === 'down') await run([])
  }

  /** Counts a request of which nothing else remains. */
  const countAlone = async (statements: Statement[] = []) => {
    const results = await transaction.rollback([...count, ...statements])
    accept(results[0])
    return results.slice(count.length)
  }

  const settle = async (error: unknown): Promise<OperationResponse | null> => {
    if (idempotency && isTaken(error)) {
      const [, stored] = await countAlone(readKey(caller, idempotency, clock()))
      return replay(stored?.[0], idempotency)
    }
    if (idempotency && isStillClaimed(error)) {
      await countAlone()
      throw inProgress()
    }
    if (!(error instanceof ServiceError)) {
      await countAlone().catch(() => {})
      throw error
    }
    if (error.code === 'rate_limited' || before.length === 0) throw error
    if (state === 'down' && !isStored(error)) {
      // Whoever may no longer ask is not given an old answer either.
      await countAlone()
      throw error
    }
    return keepRefusal(error)
  }

  const keepRefusal = async (error: ServiceError): Promise<OperationResponse | null> => {
    if (state === 'down') {
      try {
        await run([])
      } catch (other) {
        return settle(other)
      }
    }
    const uncertain = state === 'sent'
    transaction.forget()
    const answer = { status: error.status, body: JSON.stringify(errorBody(error, caller.locale)) }
    const key = idempotency
      ? [isStored(error) ? storeAnswer(caller, idempotency, answer) : releaseKey(caller, idempotency)]
      : []
    const results = await transaction.run([
      backToSavepoint,
      ...key,
      ...(uncertain && count.length > 0 ? [usedOf(caller)] : []),
    ])
    if (uncertain) accept(results.at(-1))
    await transaction.commit()
    throw error
  }

  return { run, raise, settle }
}

const usedOf = ({ tenant, installation }: Caller): Statement => ({
  text: 'select used, minute from core.request_counts where tenant_id = $1 and installation_id = $2',
  values: [tenant.id, installation.id],
})

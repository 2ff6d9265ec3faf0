import type { Caller } from '../../partner-services/service/caller.ts'
import type { OperationResponse, UnitOfWork } from '../../partner-services/service/ports.ts'
import { runPipeline, type Statement } from './pipeline.ts'
import type { RateLimit } from './rate-limit.ts'
import { enterTenant, isDatabaseError } from './statements.ts'
import { tenantDatabase } from './tenant-database.ts'
import type { TenantPool } from './tenant-pool.ts'

/** Runs a read. A metered caller is counted in the first round trip, or in one of its own where there is none. */
export async function read(
  pool: TenantPool,
  limit: RateLimit,
  caller: Caller,
  work: (unit: UnitOfWork) => Promise<OperationResponse>,
): Promise<OperationResponse> {
  const enter = enterTenant(caller.tenant.id)
  const run = async (statements: Statement[]) => {
    const client = await pool.connect(caller.tenant.id)
    try {
      const results = await runPipeline(client, statements)
      pool.release(caller.tenant.id, client, false)
      return results
    } catch (error) {
      pool.release(caller.tenant.id, client, !isDatabaseError(error))
      throw error
    }
  }
  if (!caller.meter) return work(unitOf(async (statements) => (await run([enter, ...statements])).slice(1)))

  limit.refuseExhausted(caller)
  let counted = false
  const runMetered = async (statements: Statement[]) => {
    if (counted) return (await run([enter, ...statements])).slice(1)
    const [, used, ...results] = await run([enter, limit.statement(caller), ...statements])
    counted = true
    limit.accept(caller, used)
    return results
  }
  try {
    return await work(unitOf(runMetered))
  } finally {
    if (!counted) await runMetered([])
  }
}

const unitOf = (run: Parameters<typeof tenantDatabase>[0]): UnitOfWork => ({
  db: tenantDatabase(run),
  emit: () => {
    throw new Error('a read has no events')
  },
})

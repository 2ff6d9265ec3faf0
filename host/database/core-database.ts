import type pg from 'pg'
import type { Caller } from '../../partner-services/service/caller.ts'
import type { Database, DomainEvent, TenantDatabase } from '../../partner-services/service/ports.ts'
import type { Sql } from '../../partner-services/service/sql.ts'
import type { AnsweringConfig } from './answering-client.ts'
import { write } from './guarded-write.ts'
import { read } from './metered-read.ts'
import { openPool } from './open-pool.ts'
import { createRateLimit } from './rate-limit.ts'
import { toStatement } from './statements.ts'
import { tenantDatabase } from './tenant-database.ts'
import { createTenantPool, type TenantPool } from './tenant-pool.ts'
import { type TransactionOptions, withTransaction } from './transaction.ts'

export type CoreDatabase = Database & {
  /** Work of the host itself for one tenant, in one transaction; `emit` writes an event into it. */
  forTenant<Result>(
    tenantId: string,
    work: (db: TenantDatabase, emit: Emit) => Promise<Result>,
    options?: TransactionOptions,
  ): Promise<Result>
  pool: pg.Pool
  /** The same connections, for work of one tenant. */
  tenants: TenantPool
  close(): Promise<void>
}

/** What else a change writes in its own transaction: for example its events, for whoever subscribed. */
export type EventWriter = (caller: Caller, event: DomainEvent) => Sql[]

type Emit = (caller: Caller, event: DomainEvent) => void

/** The tenant's records over the role that cannot bypass row-level security. */
export function createCoreDatabase(options: {
  connection: AnsweringConfig
  poolSize: number
  writeEvent?: EventWriter
  clock?: () => Date
}): CoreDatabase {
  const { writeEvent, clock = () => new Date() } = options
  const pool = openPool({ ...options.connection, max: options.poolSize, idleTimeoutMillis: 0 })
  const tenants = createTenantPool(pool)
  const limit = createRateLimit(clock)
  const eventStatements = (caller: Caller, event: DomainEvent) => (writeEvent?.(caller, event) ?? []).map(toStatement)
  return {
    pool,
    tenants,
    read: (caller, work) => read(tenants, limit, caller, work),
    write: (caller, idempotency, work) =>
      write({ pool: tenants, limit, clock, eventStatements }, caller, idempotency, work),
    forTenant: (tenantId, work, options) =>
      withTransaction(
        tenants,
        tenantId,
        (transaction) =>
          work(
            tenantDatabase((all) => transaction.run(all)),
            (caller, event) => transaction.defer(eventStatements(caller, event)),
          ),
        options,
      ),
    close: () => pool.end(),
  }
}

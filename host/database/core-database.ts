import pg from 'pg'
import type { Caller } from '../../partner-services/service/caller.ts'
import type {
  Database,
  DomainEvent,
  OperationResponse,
  Page,
  PageQuery,
  Paging,
  TenantDatabase,
  UnitOfWork,
} from '../../partner-services/service/ports.ts'
import { type Sql, sql } from '../../partner-services/service/sql.ts'
import { type Row, runPipeline, type Statement } from './pipeline.ts'
import { enterTenant, isDatabaseError, toStatement } from './statements.ts'
import { type Transaction, withTransaction } from './transaction.ts'

export type CoreDatabase = Database & {
  /** Work of the host itself for one tenant, in one transaction. */
  forTenant<Result>(tenantId: string, work: (db: TenantDatabase) => Promise<Result>): Promise<Result>
  pool: pg.Pool
  close(): Promise<void>
}

/** What else a change writes in its own transaction: for example its events, for whoever subscribed. */
export type EventWriter = (caller: Caller, event: DomainEvent) => Sql[]

/** The tenant's records over the role that cannot bypass row-level security. */
export function createCoreDatabase(options: {
  connection: pg.ClientConfig
  poolSize: number
  writeEvent?: EventWriter
}): CoreDatabase {
  const pool = new pg.Pool({ ...options.connection, max: options.poolSize, idleTimeoutMillis: 0 })
  // A connection that the server closed is dropped by the pool; the next statement gets another.
  pool.on('error', () => {})
  return {
    pool,
    read: (caller, work) => work(readUnit(pool, caller)),
    write: (caller, _idempotency, work) =>
      withTransaction(pool, caller.tenant.id, async (transaction) => {
        const response = await work({
          db: tenantDatabase((statements) => transaction.run(statements)),
          emit: (event) => transaction.defer(eventStatements(options.writeEvent, caller, event)),
        })
        return response satisfies OperationResponse
      }),
    forTenant: (tenantId, work) =>
      withTransaction(pool, tenantId, (transaction: Transaction) =>
        work(tenantDatabase((all) => transaction.run(all))),
      ),
    close: () => pool.end(),
  }
}

function eventStatements(write: EventWriter | undefined, caller: Caller, event: DomainEvent): Statement[] {
  return (write?.(caller, event) ?? []).map(toStatement)
}

function readUnit(pool: pg.Pool, caller: Caller): UnitOfWork {
  const run = async (statements: Statement[]) => {
    const client = await pool.connect()
    try {
      const [, ...results] = await runPipeline(client, [enterTenant(caller.tenant.id), ...statements])
      client.release()
      return results
    } catch (error) {
      client.release(!isDatabaseError(error))
      throw error
    }
  }
  return {
    db: tenantDatabase(run),
    emit: () => {
      throw new Error('a read has no events')
    },
  }
}

function tenantDatabase(run: (statements: Statement[]) => Promise<Row[][]>): TenantDatabase {
  const rows = async <R>(statement: Sql) => (await run([toStatement(statement)]))[0] as R[]
  return {
    rows,
    row: async <R>(statement: Sql) => (await rows<R>(statement))[0] ?? null,
    async page<R>({ page, per_page }: Paging, query: PageQuery): Promise<Page<R>> {
      const [counted, data] = await run([toStatement(countOf(query)), toStatement(pageOf(query, page, per_page))])
      const total = counted![0]!.total as number
      return {
        data: data as R[],
        total,
        per_page,
        current_page: page,
        last_page: Math.max(1, Math.ceil(total / per_page)),
      }
    },
  }
}

const countOf = ({ from, where }: PageQuery): Sql => sql`select count(*) as total from ${from} where ${where}`

/** The page's ids come from the index alone, however far the page is; only its own rows are fetched. */
function pageOf({ columns, from, where, order }: PageQuery, page: number, perPage: number): Sql {
  const offset = (page - 1) * perPage
  if (order)
    return sql`select ${columns} from ${from} where ${where} order by ${order} limit ${perPage} offset ${offset}`
  return sql`select ${columns} from ${from} where ${where} order by id limit ${perPage} offset ${offset}`
}

import { sql } from '../../partner-services/service/sql.ts'

/**
 * What a request's statement may take, in milliseconds: one that somebody holds up, an operator's open transaction say, ends
 * as 503, and its connection serves others again. A lock: no request holds one for longer than a module's transaction, five
 * seconds, and who waits for a connection waits for such a one. A run: no page or list takes a tenth of it, and most clients
 * are gone by then. Only web processes have these; what takes minutes runs elsewhere, or says so.
 */
export const requestTimeLimits = {
  connectionTimeoutMillis: 5_000,
  lock_timeout: 5_000,
  statement_timeout: 30_000,
} as const

/** For work that grows with what there is: the rest of its transaction may run for as long as it takes. */
export const mayRunLong = `select set_config('statement_timeout', '0', true)`

/** The same, and may wait for whoever is before it: for work that is done whole or not at all and seldom repeated. */
export const mayWaitAndRunLong = sql`select set_config('lock_timeout', '0', true), set_config('statement_timeout', '0', true)`

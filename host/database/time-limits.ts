import type pg from 'pg'
import { AnsweringClient } from './answering-client.ts'
import type { Statement } from './pipeline.ts'

/**
 * What a request's statement may take, in milliseconds: one that somebody holds up, an operator's open transaction say, ends
 * as 503, and its connection serves others again. A lock: no request holds one for longer than a module's transaction, five
 * seconds, and who waits for a connection waits for such a one. A run: no page or list takes a tenth of it, and most clients
 * are gone by then. An answer: longer than a server that lives takes to end the run. Only web processes have these; what
 * takes minutes runs elsewhere, or says so.
 */
export const requestTimeLimits = {
  connectionTimeoutMillis: 5_000,
  lock_timeout: 5_000,
  statement_timeout: 30_000,
  answerTimeoutMillis: 35_000,
} as const

/** For the delivery worker, whose statements the server does not limit: what takes longer is looked for anew. */
export const workerTimeLimits = { connectionTimeoutMillis: 5_000, answerTimeoutMillis: 35_000 } as const

/** For work that grows with what there is: the rest of its transaction may run for as long as it takes. */
export async function mayRunLong(client: pg.ClientBase): Promise<void> {
  bePatient(client)
  await client.query(`select set_config('statement_timeout', '0', true)`)
}

/** The same, and may wait for whoever is before it. */
export const mayWaitAndRunLong: Statement = {
  text: `select set_config('lock_timeout', '0', true), set_config('statement_timeout', '0', true)`,
  values: [],
}

/** Sessions of other pools have no such limit. */
export function bePatient(client: pg.ClientBase): void {
  if (client instanceof AnsweringClient) client.bePatient()
}

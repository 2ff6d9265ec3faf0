import pg from 'pg'
import { type Sql, textOf } from '../../partner-services/service/sql.ts'
import type { Statement } from './pipeline.ts'

/** True for what the server answered; false where the connection itself failed. */
export const isDatabaseError = (error: unknown): boolean => error instanceof pg.DatabaseError

/** Sets the tenant for the rest of the transaction; what row-level security compares with. */
export const enterTenant = (tenantId: string): Statement => ({
  text: `select set_config('core.tenant', $1, true)`,
  values: [tenantId],
})

export const toStatement = (statement: Sql): Statement => ({ text: textOf(statement), values: statement.values })

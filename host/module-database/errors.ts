import type { DatabaseErrorCode } from '../../partner-services/sdk/errors.ts'
import { isAwayState } from '../database/unavailable.ts'

/**
 * What a module may learn of a failed statement. The message names the module's own tables, columns and constraints; it
 * never carries DETAIL (values of rows), a path, or a word of the host.
 */
export class ModuleSqlError extends Error {
  override name = 'ModuleSqlError'
  readonly code: DatabaseErrorCode
  readonly constraint: string | undefined
  readonly column: string | undefined
  /** The server's process that may go on with the statement: its session was ended while it was at work. */
  readonly unstopped: number | undefined

  constructor(
    code: DatabaseErrorCode,
    message: string,
    about: { constraint?: string | undefined; column?: string | undefined; unstopped?: number | undefined } = {},
  ) {
    super(message)
    this.code = code
    this.constraint = about.constraint
    this.column = about.column
    this.unstopped = about.unstopped
  }
}

/** The fields of an ErrorResponse that are looked at. */
export type ServerError = Error & { code?: string; constraint?: string; column?: string; routine?: string }

const violations: Readonly<Record<string, DatabaseErrorCode>> = {
  '23505': 'unique_violation',
  '23503': 'foreign_key_violation',
  '23502': 'not_null_violation',
  '23514': 'check_violation',
}

/** SQLSTATEs whose own words may speak of the server rather than of the statement. */
const plain: Readonly<Record<string, [DatabaseErrorCode, string]>> = {
  '42501': ['sql_refused', 'the module has no right to do this'],
  '57014': ['timeout', 'the statement took too long'],
  '25P03': ['timeout', 'the transaction was idle for too long'],
  '25P04': ['timeout', 'the transaction took too long'],
  '55P03': ['timeout', 'the statement waited too long for a lock'],
  '40P01': ['sql_error', 'two transactions waited for each other: try again'],
  '40001': ['sql_error', 'another transaction changed the same rows: try again'],
  '25P02': ['sql_error', 'the transaction has failed: roll it back'],
  '08P01': ['sql_error', 'the values do not fit the parameters of the statement'],
  '53200': ['sql_error', 'the statement needs too much memory'],
  '53400': ['sql_error', 'the statement needs too much temporary space'],
}

/** Classes of SQLSTATE in which the server speaks of the statement, its data and the module's own objects only. */
const speaksOfTheStatement = /^(25001|0A|21|22|23|2B|42|44|54)/
/** Five characters with a digit among them: EPIPE is none. */
const sqlState = /^(?=.*\d)[0-9A-Z]{5}$/

export function moduleError(error: ServerError): ModuleSqlError {
  const code = error.code ?? ''
  const known = plain[code]
  if (known) return new ModuleSqlError(...known)
  const about = { constraint: error.constraint, column: error.column }
  if (violations[code]) return new ModuleSqlError(violations[code], error.message.slice(0, 300), about)
  if (speaksOfTheStatement.test(code)) return new ModuleSqlError('sql_error', error.message.slice(0, 300), about)
  if (!sqlState.test(code) || isAwayState(code))
    return new ModuleSqlError('unavailable', 'the database is not available: try again')
  return new ModuleSqlError('sql_error', 'the statement failed')
}

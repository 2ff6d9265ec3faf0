/** A refusal of the platform, as it reaches a module. `code` is one of the published error codes; `status` its HTTP status. */
export class ServiceException extends Error {
  override name = 'ServiceException'
  readonly code: string
  readonly status: number
  constructor(code: string, status: number, message: string = code) {
    super(message)
    this.code = code
    this.status = status
  }
}

/** The operation's scope is not among those the school granted to this app. */
export class MissingScopeException extends ServiceException {
  override name = 'MissingScopeException'
  /** The missing scope, for example `education.students.read`. */
  readonly scope: string
  constructor(scope: string, message = `The scope ${scope} is not granted.`) {
    super('scope_not_granted', 403, message)
    this.scope = scope
  }
}

/** The record does not exist in this school. Another school's record looks exactly like that. */
export class NotFoundException extends ServiceException {
  override name = 'NotFoundException'
  constructor(message = 'Not found.') {
    super('not_found', 404, message)
  }
}

/** Fields of the input are wrong. */
export class InvalidInputException extends ServiceException {
  override name = 'InvalidInputException'
  /** Messages by field. */
  readonly errors: Record<string, string[]>
  constructor(errors: Record<string, string[]>, message = 'The given data was invalid.') {
    super('invalid_data', 422, message)
    this.errors = errors
  }
}

/**
 * Why a statement or a transaction came to nothing.
 * - `sql_refused`: no module may do this, or a limit of statements forbids it; the message says which.
 * - `sql_error`: PostgreSQL refused it, another transaction was in its way, or its own has ended.
 * - `unique_violation`, `foreign_key_violation`, `not_null_violation`, `check_violation`: a constraint of the module's tables.
 * - `result_too_large`: more rows or bytes than a result may have.
 * - `timeout`: the statement, its wait for a lock or its transaction took too long. Status 503.
 * - `unavailable`: the database is away, or the app may not work here any more. Status 503; the others have 422.
 */
export type DatabaseErrorCode =
  | 'sql_refused'
  | 'sql_error'
  | 'unique_violation'
  | 'foreign_key_violation'
  | 'not_null_violation'
  | 'check_violation'
  | 'result_too_large'
  | 'timeout'
  | 'unavailable'

/** A statement on the module's own schema was refused or failed: `code` says why. */
export class DatabaseException extends ServiceException {
  override name = 'DatabaseException'
  declare readonly code: DatabaseErrorCode
  constructor(code: DatabaseErrorCode, status: number, message: string = code) {
    super(code, status, message)
  }
}

/**
 * The host's error as a class of the SDK. What did not come from a service (a limit of the sandbox, a programming error) is
 * left as it is.
 */
export function toException(thrown: unknown, path: string): unknown {
  if (!(thrown instanceof Error) || !('code' in thrown) || !('status' in thrown)) return thrown
  const { code, status, message, scope, errors } = thrown as ServiceException & { scope?: string; errors?: never }
  if (typeof code !== 'string' || typeof status !== 'number') return thrown
  if (code === 'scope_not_granted') return new MissingScopeException(scope ?? '', message)
  if (path.startsWith('db.')) return new DatabaseException(code as DatabaseErrorCode, status, message)
  if (code === 'not_found') return new NotFoundException(message)
  if (code === 'invalid_data') return new InvalidInputException(errors ?? {}, message)
  return new ServiceException(code, status, message)
}

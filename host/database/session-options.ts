/**
 * What a server of somebody else may have set otherwise on its roles or databases: how values are written and read, and what
 * ends a statement. Data and the platform's own migrations mean the same everywhere, and `time-limits.ts` alone says how long
 * work may take. Whether it is read-only stays the operator's: a full disk is answered so. A module's roles have their own.
 */
const settings = {
  datestyle: 'ISO,YMD',
  timezone: 'UTC',
  intervalstyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
  transform_null_equals: 'off',
  row_security: 'on',
  default_transaction_isolation: 'read committed',
  statement_timeout: '0',
  lock_timeout: '0',
  transaction_timeout: '0',
  // What ends a session ends the lock that it holds while others work under it.
  idle_session_timeout: '0',
  idle_in_transaction_session_timeout: '0',
}

/** As a session takes them when it is opened: they win over what role and database have. */
export const sessionOptions = Object.entries(settings)
  .map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`)
  .join(' ')

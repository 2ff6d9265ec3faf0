/**
 * SQLSTATEs of a server that cannot do it now: lost connections, too many of them, shutting down or starting; a full disk, no
 * memory, a disk that fails; one that is read-only, as it is for a moment when another takes its place.
 */
const awayStates = /^(08[0-9A-Z]{3}|53[123]00|57P0[1-5]|58030|25006)$/

export const isAwayState = (sqlState: string): boolean => awayStates.test(sqlState)
/** Of a statement that waited or ran for longer than `time-limits.ts` lets it, or that an operator cancelled. */
const lateStates = new Set(['55P03', '57014'])
const awaySystemErrors = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOENT', 'ETIMEDOUT'])
/** Of a connection that others have: `tenant-pool.ts` and node-postgres say so without a code. */
const noneFree = /^timeout exceeded when trying to connect/
/** What node-postgres says without a code. */
const awayMessages = /^(Connection terminated|Client has encountered a connection error|Client was closed)/

/** Whether this waited or ran for too long behind others, while the database itself answers. */
export function isLate(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as NodeJS.ErrnoException
  return code === undefined ? noneFree.test(error.message) : lateStates.has(code)
}

/** Whether this is the database being away or held up, which passes, and no fault in what was asked of it. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (isLate(error)) return true
  const { code, syscall } = error as NodeJS.ErrnoException
  if (code === undefined) return awayMessages.test(error.message)
  // A file that is missing is no database that is away: only what a socket reports counts.
  if (awaySystemErrors.has(code)) return syscall === 'connect' || syscall === 'read' || syscall === 'write'
  return isAwayState(code)
}

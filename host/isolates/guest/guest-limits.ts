import type { RequestLimits } from '../limits.ts'
import type { GuestLimits } from './bootstrap.ts'

/** The guest counts characters, of which each is a byte at least: it refuses nothing that the host would take. */
export const guestLimits = (limits: RequestLimits): GuestLimits => ({
  pendingCalls: limits.pendingCalls,
  totalCalls: limits.totalCalls,
  argumentLength: limits.argumentBytes,
  resultLength: limits.resultBytes,
  logLines: limits.logLines,
  logLineLength: limits.logLineLength,
})

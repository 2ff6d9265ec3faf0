import type { RequestLimits } from '../limits.ts'

/** What a request may use as far as the guest itself counts, which saves the host work and tells the module why. */
export type GuestLimits = {
  pendingCalls: number
  totalCalls: number
  argumentLength: number
  resultLength: number
  logLines: number
  logLineLength: number
}

/** The guest counts characters, of which each is a byte at least: it refuses nothing that the host would take. */
export const guestLimits = (limits: RequestLimits): GuestLimits => ({
  pendingCalls: limits.pendingCalls,
  totalCalls: limits.totalCalls,
  argumentLength: limits.argumentBytes,
  resultLength: limits.resultBytes,
  logLines: limits.logLines,
  logLineLength: limits.logLineLength,
})

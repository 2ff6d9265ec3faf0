import type { RequestLimits } from '../limits.ts'
import { ownText } from '../wire/own-text.ts'
import type { GuestFailure, GuestRequest, GuestResult } from './types.ts'

/**
 * Where a request stands whose isolate is gone: `unlucky` when nobody's code is to blame, `bystander` when another
 * installation is known to have cost the runner its life, `innocent` when another request of its module is known to have
 * done it, `suspect` when it was one of several in the fatal step, `starved` when the machine was too busy to give its
 * time slice any time.
 */
export type Standing = 'unlucky' | 'bystander' | 'innocent' | 'suspect' | 'starved'

/** How an attempt ended. `lost`: its isolate or runner is gone through no proven fault of this request. */
export type Outcome =
  | { kind: 'done'; result: GuestResult }
  | { kind: 'failed'; failure: GuestFailure }
  | { kind: 'lost'; reason: string; standing: Standing }

/** The host's own record of one request in one isolate: all its authority, gone the moment it is closed. */
export type OpenRequest = {
  id: number
  request: GuestRequest
  limits: RequestLimits
  /** Tells the guest of limits that are not its runner's; else empty. */
  preamble: string
  /** Runs in steps of its own: it was in a step that ended badly, together with others. */
  alone: boolean
  open: boolean
  /** It ended with an answer of its own. */
  answered: boolean
  /** Its guest was told of it. */
  sent: boolean
  pendingCalls: number
  totalCalls: number
  /** Its module has had CPU time for it, in this try or one before. */
  begun: boolean
  cpuUs: number
  /** By `performance.now()`. */
  deadline: number
  /** The number under which its deadline is watched. */
  watch: number
  logLines: number
  settle: (outcome: Outcome) => void
}

export function log(open: OpenRequest, level: string, message: string): void {
  if (open.request.onLog === undefined) return
  open.logLines++
  if (open.logLines > open.limits.logLines + 1) return
  if (open.logLines === open.limits.logLines + 1) {
    open.request.onLog({ level: 'warn', message: `more than ${open.limits.logLines} lines: the rest is dropped` })
  } else open.request.onLog({ level, message: ownText(message.slice(0, open.limits.logLineLength)) })
}

/** Timers remember requests that are over: its way back, and the answer that went it, are not held for as long. */
export const settled = () => {}

export const failed = (kind: GuestFailure['kind'], message: string): Outcome => ({
  kind: 'failed',
  failure: { kind, message },
})

export const takenOut = (): Outcome => failed('dropped', 'the installation was taken out of service')

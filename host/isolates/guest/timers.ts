import type { GuestErrors } from './errors.ts'
import type { Outbox } from './outbox.ts'
import type { Primordials } from './primordials.ts'

/** Timers, which the host runs: the guest names one and is told when it is due. Sent into the isolate as source text. */
export function makeTimers(primordials: Primordials, errors: GuestErrors, outbox: Outbox) {
  const { GuestError, mapGet, mapSet, mapDelete, mapForEach, mapClear } = primordials
  const timers = new Map<number, () => void>()
  /** Those of this step, with their milliseconds: of one that is cleared before its end the host never hears. */
  const untold = new Map<number, number>()
  let pending = 0
  let last = 0

  return {
    /** `allowed`: how many may be pending; none outside a call. */
    start(run: () => void, delay: unknown, allowed: number): number {
      if (allowed === 0) throw new GuestError('timers run within a call only')
      if (pending >= allowed) throw errors.limitError('too_many_calls', 'too many timers')
      const ms = typeof delay === 'number' && delay > 0 ? delay : 0
      const id = ++last
      mapSet(untold, id, ms > 60_000 ? 60_000 : ms - (ms % 1))
      mapSet(timers, id, run)
      pending++
      return id
    },
    clear(id: unknown): void {
      if (typeof id !== 'number' || !mapDelete(timers, id)) return
      pending--
      if (!mapDelete(untold, id)) outbox.post(`u${id} 0\n`)
    },
    clearAll(): void {
      mapClear(timers)
      mapClear(untold)
      pending = 0
    },
    /** At the end of a step. */
    tell(): void {
      mapForEach(untold, (ms, id) => outbox.post(`t${id} ${ms}\n`))
      mapClear(untold)
    },
    /** Runs a timer that is due; it may throw what the guest throws. */
    fire(id: number): void {
      const run = mapGet(timers, id) as (() => void) | undefined
      if (run === undefined) return
      mapDelete(timers, id)
      pending--
      run()
    },
  }
}

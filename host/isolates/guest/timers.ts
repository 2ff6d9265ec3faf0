import type { GuestErrors } from './errors.ts'
import type { Outbox } from './outbox.ts'
import type { Primordials } from './primordials.ts'

/** Timers, which the host runs: the guest names one and is told when it is due. Sent into the isolate as source text. */
export function makeTimers(primordials: Primordials, errors: GuestErrors, outbox: Outbox) {
  const { GuestError, mapGet, mapSet, mapDelete, mapClear } = primordials
  const timers = new Map<number, () => void>()
  let pending = 0
  let last = 0

  return {
    /** `allowed`: how many may be pending; none outside a call. */
    start(run: () => void, delay: unknown, allowed: number): number {
      if (allowed === 0) throw new GuestError('timers run within a call only')
      if (pending >= allowed) throw errors.limitError('too_many_calls', 'too many timers')
      const ms = typeof delay === 'number' && delay > 0 ? delay : 0
      const id = ++last
      outbox.post(`t${id} ${ms > 60_000 ? 60_000 : ms - (ms % 1)}\n`)
      mapSet(timers, id, run)
      pending++
      return id
    },
    clear(id: unknown): void {
      if (typeof id !== 'number' || !mapDelete(timers, id)) return
      pending--
      outbox.post(`u${id} 0\n`)
    },
    clearAll(): void {
      mapClear(timers)
      pending = 0
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

import type { GuestErrors } from './errors.ts'
import type { Outbox } from './outbox.ts'
import type { Primordials } from './primordials.ts'

/** The request that ran last when a timer was set. Another may have set it: no timer ends because its owner does. */
export type TimerOwner = { open: boolean; timers: number }
type Timer = { run: () => void; owner: TimerOwner | undefined }

/** Timers, which the host runs: the guest names one and is told when it is due. Sent into the isolate as source text. */
export function makeTimers(primordials: Primordials, errors: GuestErrors, outbox: Outbox, mostTimers: number) {
  const { GuestError, mapGet, mapSet, mapDelete, mapForEach, mapClear } = primordials
  const timers = new Map<number, Timer>()
  /** Those of this step, with their milliseconds: of one that is cleared before its end the host never hears. */
  const untold = new Map<number, number>()
  let set = 0
  /** Those that no ended request left behind. */
  let pending = 0
  let last = 0

  const take = (id: number): Timer | undefined => {
    const timer = mapGet(timers, id) as Timer | undefined
    if (timer === undefined) return undefined
    mapDelete(timers, id)
    set--
    const { owner } = timer
    if (owner === undefined) pending--
    else if (owner.open) {
      pending--
      owner.timers--
    }
    return timer
  }
  const unset = (id: number) => {
    if (!mapDelete(untold, id)) outbox.post(`u${id} 0\n`)
  }

  return {
    /** `allowed`: how many may be pending; none outside a call. */
    start(run: () => void, delay: unknown, owner: TimerOwner | undefined, allowed: number): number {
      if (allowed === 0) throw new GuestError('timers run within a call only')
      if (pending >= allowed || set >= mostTimers) throw errors.limitError('too_many_calls', 'too many timers')
      const ms = typeof delay === 'number' && delay > 0 ? delay : 0
      const id = ++last
      mapSet(untold, id, ms > 60_000 ? 60_000 : ms - (ms % 1))
      mapSet(timers, id, { run, owner })
      set++
      pending++
      if (owner !== undefined) owner.timers++
      return id
    },
    clear(id: unknown): void {
      if (typeof id === 'number' && take(id) !== undefined) unset(id)
    },
    /** A request ended: its timers are not counted any more. */
    leave(owner: TimerOwner): void {
      pending -= owner.timers
    },
    /** The host is told too: it may have requests open that the guest has not heard of. */
    clearAll(): void {
      mapForEach(timers, (_, id) => unset(id))
      mapClear(timers)
      set = 0
      pending = 0
    },
    /** At the end of a step. */
    tell(): void {
      mapForEach(untold, (ms, id) => outbox.post(`t${id} ${ms}\n`))
      mapClear(untold)
    },
    /** Runs a timer that is due; it may throw what the guest throws. */
    fire(id: number): void {
      take(id)?.run()
    },
  }
}

export type Timers = ReturnType<typeof makeTimers>

import type { GuestErrors } from './errors.ts'
import type { Outbox } from './outbox.ts'
import type { Primordials } from './primordials.ts'

/**
 * The request that ran last when a timer was set. Another may have set it: a timer ends because its owner has ended only
 * where another needs its place. `ring`: of its timers, once it has had any.
 */
export type TimerOwner = { open: boolean; timers: number; ring: Timer | undefined }
/** In a ring with others, or alone in one. */
type Timer = { id: number; run: () => void; owner: TimerOwner | undefined; before: Timer; after: Timer }

/** Timers, which the host runs: the guest names one and is told when it is due. Sent into the isolate as source text. */
export function makeTimers(primordials: Primordials, errors: GuestErrors, outbox: Outbox, mostTimers: number) {
  const { GuestError, mapGet, mapSet, mapDelete, mapForEach, mapClear } = primordials
  const timers = new Map<number, Timer>()
  /** Those of this step, with their milliseconds: of one that is cleared before its end the host never hears. */
  const untold = new Map<number, number>()
  let set = 0
  /** Those of open requests. */
  let pending = 0
  let last = 0

  const newTimer = (id: number, run: () => void, owner: TimerOwner | undefined): Timer => {
    const timer = { id, run, owner, before: undefined, after: undefined } as unknown as Timer
    timer.before = timer
    timer.after = timer
    return timer
  }
  /** The head of a ring is a timer that nobody set. */
  const newRing = () => newTimer(0, () => {}, undefined)
  /** Puts all from one to another at the end of a ring. */
  const append = (ring: Timer, first: Timer, end: Timer) => {
    first.before = ring.before
    end.after = ring
    ring.before.after = first
    ring.before = end
  }
  /** Those that ended requests left behind, and those of no open one: first who ended, or was set, first. */
  let left = newRing()

  const take = (id: number): Timer | undefined => {
    const timer = mapGet(timers, id) as Timer | undefined
    if (timer === undefined) return undefined
    mapDelete(timers, id)
    set--
    const { owner, before, after } = timer
    before.after = after
    after.before = before
    if (owner?.open) {
      pending--
      owner.timers--
    }
    return timer
  }
  const unset = (id: number) => {
    if (!mapDelete(untold, id)) outbox.post(`u${id} 0\n`)
  }
  /** At the bound, the first that no open request has gives way. */
  const makeRoom = (): boolean => {
    if (set < mostTimers) return true
    const { id } = left.after
    if (take(id) === undefined) return false
    unset(id)
    return true
  }

  return {
    /** `allowed`: how many may be pending; none outside a call. */
    start(run: () => void, delay: number, owner: TimerOwner | undefined, allowed: number): number {
      if (allowed === 0) throw new GuestError('timers run within a call only')
      if (pending >= allowed || !makeRoom()) throw errors.limitError('too_many_calls', 'too many timers')
      const ms = delay > 0 ? delay : 0
      const id = ++last
      mapSet(untold, id, ms > 60_000 ? 60_000 : ms - (ms % 1))
      const timer = newTimer(id, run, owner)
      mapSet(timers, id, timer)
      set++
      // Set by what goes on after its request, or for another one: nobody's end would free its place.
      if (owner === undefined) append(left, timer, timer)
      else {
        pending++
        owner.timers++
        owner.ring ??= newRing()
        append(owner.ring, timer, timer)
      }
      return id
    },
    clear(id: number): void {
      if (take(id) !== undefined) unset(id)
    },
    /** A request ended: its timers are not counted any more, and give way to those of others. */
    leave(owner: TimerOwner): void {
      const { timers: count, ring } = owner
      pending -= count
      owner.ring = undefined
      if (ring !== undefined && count > 0) append(left, ring.after, ring.before)
    },
    /** The host is told too: it may have requests open that the guest has not heard of. */
    clearAll(): void {
      mapForEach(timers, (_, id) => unset(id))
      mapClear(timers)
      left = newRing()
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

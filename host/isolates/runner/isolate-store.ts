import type { Limits } from '../limits.ts'
import { disposeGuest, type GuestIsolate, heapMb } from './guest-isolate.ts'

export type StoredIsolate = {
  guest: GuestIsolate
  lane: number
  handle: number
  lastUsed: number
  /** Open requests at the last step, as the guest says; believed for a while only. */
  busy: boolean
  heapMb: number
  /** Time that it worked since its heap was measured. */
  unmeasuredUs: number
  /** Its heap was swept since it was loaded. */
  swept: boolean
}

/** A guest that calls itself busy longer than this without a step is dropped like any other. */
const busyBelievedMs = 15_000

/**
 * Measuring takes four µs. Work is counted over all steps: who gathers a little in each of many short ones would else fill the
 * runner unseen, and whoever ran when it was full would be blamed.
 */
const measuredEveryUs = 250

/** A module that is called all the time collects its garbage by itself. */
const sweptAfterMs = 1_000
/** Where isolates come and go, one that rests is dropped sooner than sweeping it would pay. */
const settledAfterMs = 5_000
/** Sweeping a larger heap would hold up the calls of others. */
const largestSweptMb = 16

/** Dropping an isolate takes milliseconds: up to so much over its limits a runner waits for a quiet moment to do it. */
const hurry = 1.1

/**
 * The isolates of one runner, least recently used first. Kept within a count, a sum of heaps and an idle time; isolates
 * that wait for an answer are spared while others can go.
 */
export function createIsolateStore(limits: Limits, onEvicted: (dropped: StoredIsolate) => void) {
  const stored = new Map<string, StoredIsolate>()
  let totalMb = 0
  let droppedAt = Number.NEGATIVE_INFINITY
  const keyOf = (lane: number, handle: number) => `${lane}:${handle}`

  const remove = (entry: StoredIsolate) => {
    if (!stored.delete(keyOf(entry.lane, entry.handle))) return
    totalMb -= entry.heapMb
    disposeGuest(entry.guest)
  }
  /** Takes note of what an isolate holds now. */
  const measure = (entry: StoredIsolate) => {
    const measured = heapMb(entry.guest)
    totalMb += measured - entry.heapMb
    entry.heapMb = measured
    entry.unmeasuredUs = 0
  }
  const evict = (entry: StoredIsolate) => {
    remove(entry)
    onEvicted(entry)
  }
  const leastUseful = (keep: StoredIsolate | undefined): StoredIsolate | undefined => {
    const now = Date.now()
    let busyOne: StoredIsolate | undefined
    for (const entry of stored.values()) {
      if (entry === keep) continue
      if (!entry.busy || now - entry.lastUsed > busyBelievedMs) return entry
      busyOne ??= entry
    }
    return busyOne
  }
  const isOver = (stretch: number) =>
    stored.size > limits.isolatesPerRunner * stretch || totalMb > limits.isolatesMb * stretch
  /** Drops the least useful until the rest keeps within the limits, stretched by a factor. */
  const makeRoom = (stretch: number, keep?: StoredIsolate) => {
    while (isOver(stretch)) {
      const victim = leastUseful(keep)
      if (victim === undefined) return
      droppedAt = Date.now()
      evict(victim)
    }
  }

  return {
    get: (lane: number, handle: number) => stored.get(keyOf(lane, handle)),
    size: () => stored.size,
    totalMb: () => totalMb,
    add(lane: number, handle: number, guest: GuestIsolate): StoredIsolate {
      const entry: StoredIsolate = {
        guest,
        lane,
        handle,
        lastUsed: Date.now(),
        busy: false,
        heapMb: heapMb(guest),
        unmeasuredUs: 0,
        swept: false,
      }
      stored.set(keyOf(lane, handle), entry)
      totalMb += entry.heapMb
      makeRoom(hurry, entry)
      return entry
    },
    /** Moves an isolate to the recent end; measures its heap again when it worked for a while. */
    touch(entry: StoredIsolate, workedUs: number) {
      const key = keyOf(entry.lane, entry.handle)
      if (!stored.delete(key)) return
      stored.set(key, entry)
      entry.lastUsed = Date.now()
      entry.unmeasuredUs += workedUs
      if (entry.unmeasuredUs < measuredEveryUs) return
      measure(entry)
      makeRoom(hurry, entry)
    },
    remove,
    removeLane(lane: number) {
      for (const entry of [...stored.values()]) if (entry.lane === lane) remove(entry)
    },
    isTidy: () => !isOver(1),
    /** To be called in a quiet moment. */
    tidy: () => makeRoom(1),
    /** The next isolate to be swept: not used for a moment, and not swept yet. */
    unswept(): StoredIsolate | undefined {
      if (Date.now() - droppedAt < settledAfterMs) return undefined
      const before = Date.now() - sweptAfterMs
      for (const entry of stored.values()) {
        if (entry.lastUsed > before) return undefined
        if (!entry.swept && !entry.busy && entry.heapMb <= largestSweptMb) return entry
      }
      return undefined
    },
    measure,
    evictIdle() {
      const oldest = Date.now() - limits.idleMs
      for (const entry of [...stored.values()]) if (entry.lastUsed < oldest) evict(entry)
    },
  }
}

export type IsolateStore = ReturnType<typeof createIsolateStore>

import type { Limits } from '../limits.ts'
import { encodeFrame, type Frame, frameType } from '../wire/frames.ts'
import { isOneText } from '../wire/messages.ts'
import {
  createIsolateFactory,
  type GuestIsolate,
  loadBundle,
  type StepOutcome,
  stepGuest,
  sweepGuest,
} from './guest-isolate.ts'
import { createHeldBundles } from './held-bundles.ts'
import { createIsolateStore, type StoredIsolate } from './isolate-store.ts'
import type { Journal } from './journal.ts'
import { createTimeSlice } from './time-slice.ts'

/** Isolates with nothing but the bootstrap in them, made ahead of need: half of a cold start. */
const preparedIsolates = 2

const isAwaited = new Set<number>([frameType.load, frameType.step])

/** What a runner does for its lanes: load, step, drop. One thing at a time. */
export function createGuestWork(limits: Limits, journal: Journal, send: (lane: number, frame: Buffer) => void) {
  const createIsolate = createIsolateFactory(limits)
  const slice = createTimeSlice(limits.sliceMs)
  const held = createHeldBundles()
  const prepared: GuestIsolate[] = []
  let loads = 0
  let steps = 0

  const gone = (entry: { lane: number; handle: number }, why: string, text: string) =>
    send(entry.lane, encodeFrame(frameType.gone, entry.handle, 0, `${why}\n${text}`))
  const store = createIsolateStore(limits, (entry) => gone(entry, 'evicted', 'least recently used'))
  const isPrepared = () => prepared.length >= preparedIsolates && store.isTidy()

  /** Runs guest code for one slice and reports how it went. */
  const runSlice = (entry: StoredIsolate, type: number, awaitedMs: number, work: (wallMs: number) => StepOutcome) => {
    const end = slice.begin()
    const outcome = work(slice.wallMs(awaitedMs))
    const us = end()
    if (!outcome.ok) {
      store.remove(entry)
      return gone(entry, outcome.why === 'timeout' && slice.wasStarved(us) ? 'starved' : outcome.why, outcome.text)
    }
    entry.busy = outcome.outbox !== '' && outcome.outbox[0] !== '0'
    if (outcome.orphan !== undefined) {
      send(entry.lane, encodeFrame(frameType.orphan, entry.handle, 0, outcome.orphan))
    }
    const answered = type === frameType.stepped && isOneText(outcome.outbox)
    send(entry.lane, encodeFrame(answered ? frameType.answered : type, entry.handle, us, outcome.outbox))
    store.touch(entry, us)
  }
  const load = (lane: number, { isolate: handle, number: awaitedMs, body }: Frame) => {
    const bundle = held.get(lane, body.readUInt32LE(0))
    if (bundle === undefined) return gone({ lane, handle }, 'load_failed', 'the bundle was not sent')
    const entry = store.add(lane, handle, prepared.pop() ?? createIsolate())
    loads++
    runSlice(entry, frameType.loaded, awaitedMs, (ms) => loadBundle(entry.guest, bundle, ms))
  }

  /** After a burst a queue holds what its callers gave up long ago: running it would hold up everybody else. */
  const expire = (lane: number, handle: number) => {
    const entry = store.get(lane, handle)
    if (entry) store.remove(entry)
    gone({ lane, handle }, 'evicted', 'nobody waits for it any more')
  }

  return {
    /** `arrived`: when the frame did, by `performance.now()`. What nobody waits for any more is not run. */
    take(lane: number, frame: Frame, arrived: number) {
      if (isAwaited.has(frame.type) && performance.now() - arrived > frame.number) return expire(lane, frame.isolate)
      if (frame.type === frameType.load) {
        journal.enter(lane, frame.isolate)
        return load(lane, frame)
      }
      if (frame.type === frameType.bundle) return held.hold(lane, frame.number, frame.body)
      if (frame.type === frameType.forget) return held.forget(lane, frame.number)
      const entry = store.get(lane, frame.isolate)
      if (frame.type === frameType.drop && entry) return store.remove(entry)
      if (frame.type !== frameType.step || !entry) return
      journal.enter(lane, frame.isolate)
      steps++
      runSlice(entry, frameType.stepped, frame.number, (ms) => stepGuest(entry.guest, frame.body.toString('utf8'), ms))
    },
    closeLane(lane: number) {
      store.removeLane(lane)
      held.closeLane(lane)
    },
    evictIdle: store.evictIdle,
    /** For quiet moments: sweeps one isolate that rests. True while there may be more. */
    sweepOne(): boolean {
      const entry = store.unswept()
      if (entry === undefined) return false
      journal.enter(entry.lane, entry.handle)
      entry.swept = true
      if (sweepGuest(entry.guest, limits.sliceMs)) store.measure(entry)
      else {
        store.remove(entry)
        gone(entry, 'evicted', 'its memory could not be swept')
      }
      return true
    },
    isPrepared,
    /** For quiet moments: drops what is too much, makes one isolate ahead of need. */
    prepare() {
      store.tidy()
      if (prepared.length < preparedIsolates) prepared.push(createIsolate())
    },
    stats: () => ({ isolates: store.size(), heapMb: Math.round(store.totalMb()), loads, steps }),
  }
}

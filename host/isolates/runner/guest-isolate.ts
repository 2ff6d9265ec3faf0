import { randomBytes } from 'node:crypto'
import ivm from 'isolated-vm'
import { guestSource } from '../guest/source.ts'
import { guestLimits } from '../guest/guest-limits.ts'
import { type Limits, mostTimers } from '../limits.ts'
import type { HeldBundle } from './held-bundles.ts'
import { callMessage } from '../wire/messages.ts'
import { bundleFile } from './settings.ts'

/** One isolate with the bootstrap in it, before or after its bundle. The guest holds no handle of the runner's. */
export type GuestIsolate = {
  isolate: ivm.Isolate
  context: ivm.Context
  load: ivm.Reference
  step: ivm.Reference
  collect: ivm.Reference
  /** V8's own collector, taken away from the guest before it was there. */
  sweep: ivm.Reference
}

export type GoneReason = 'timeout' | 'memory' | 'flood' | 'load_failed' | 'evicted'
export type StepOutcome =
  | { ok: true; outbox: string; orphan: string | undefined }
  | { ok: false; why: GoneReason; text: string }

const rehearsed = 'globalThis.__partner_module__ = { handle: async () => null }'
const rehearsalMs = 5_000
const bootstrapFile = 'partner:bootstrap'
/** What a guest says in one step; the rest waits in its own heap for the next. */
const maxOutbox = 8 * 1_048_576
/** The largest result that an operator may allow is as long, without what tells of it. */
const maxHead = 64
const leastTimeoutMs = 10
/** Characters of a stack that are looked at, and of an error in all. */
const longestStack = 64_000
const longestError = 8_000

/**
 * V8 does not let this property be deleted, only emptied. Its options are made here and have no prototype: V8 looks for
 * those that are missing, and on an object of the guest's realm a getter of the guest's could answer.
 */
const takeCollector = `(() => {
  const { gc } = globalThis
  globalThis.gc = undefined
  const wholeHeap = { __proto__: null, type: 'major', execution: 'sync', flavor: 'last-resort', filename: '' }
  return () => { gc(wholeHeap) }
})()`

/** Makes isolates with the bootstrap already in them, its code compiled once. */
export function createIsolateFactory(limits: Limits): () => GuestIsolate {
  const source = guestSource()
  const settings = { ...guestLimits(limits), outboxLength: maxOutbox, mostTimers }
  const create = (cachedData?: ivm.ExternalCopy<ArrayBuffer>): GuestIsolate => {
    // No onCatastrophicError: with it isolated-vm parks this very thread and the runner hangs; without, V8 aborts at once.
    const isolate = new ivm.Isolate({ memoryLimit: limits.memoryMb })
    const context = isolate.createContextSync()
    const sweep = context.evalSync(takeCollector, { reference: true }) as ivm.Reference
    const script = isolate.compileScriptSync(source, { filename: bootstrapFile, ...(cachedData ? { cachedData } : {}) })
    const boot = script.runSync(context, { reference: true }) as ivm.Reference<(settings: string) => unknown>
    const seed = [...new Uint32Array(new Uint8Array(randomBytes(32)).buffer)]
    const api = boot.applySync(undefined, [JSON.stringify({ ...settings, seed })], {
      arguments: { copy: true },
      result: { reference: true },
    }) as ivm.Reference
    const door = (name: string): ivm.Reference => api.getSync(name, { reference: true })
    return { isolate, context, load: door('load'), step: door('step'), collect: door('collect'), sweep }
  }
  const cachedData = rehearse(create(), source)
  return () => create(cachedData)
}

/**
 * The bootstrap's code, with the functions a first call needs. V8 puts into a code cache what it has compiled by then, so one
 * isolate lives through a call of a module of our own; no stranger's code was ever in it.
 */
function rehearse(guest: GuestIsolate, source: string): ivm.ExternalCopy<ArrayBuffer> | undefined {
  loadBundle(guest, { code: rehearsed, cache: undefined }, rehearsalMs)
  stepGuest(guest, callMessage(1, 'route', 'null'), rehearsalMs)
  const script = guest.isolate.compileScriptSync(source, { filename: bootstrapFile, produceCachedData: true })
  const cached = 'cachedData' in script ? (script.cachedData as ivm.ExternalCopy<ArrayBuffer>) : undefined
  disposeGuest(guest)
  return cached
}

/** Compiles and runs the bundle, then lets the bootstrap take its module. */
export function loadBundle(guest: GuestIsolate, { code, cache }: HeldBundle, sliceMs: number): StepOutcome {
  const { timeLeft, isOver } = startCountdown(sliceMs)
  try {
    const options = { filename: bundleFile }
    const script = guest.isolate.compileScriptSync(code, cache ? { ...options, cachedData: cache } : options)
    script.runSync(guest.context, timeLeft())
    guest.load.applySync(undefined, [], timeLeft())
    script.release()
    return { ok: true, outbox: '', orphan: undefined }
  } catch (error) {
    const reason = reasonOf(error, guest, isOver())
    return { ok: false, why: reason ?? 'load_failed', text: textOf(error) }
  }
}

/** One slice: hands messages in, lets every continuation run, takes out what the guest sent. */
export function stepGuest(guest: GuestIsolate, messages: string, sliceMs: number): StepOutcome {
  let orphan: string | undefined
  const { timeLeft, isOver } = startCountdown(sliceMs)
  try {
    guest.step.applySync(undefined, [messages], timeLeft())
  } catch (error) {
    const why = reasonOf(error, guest, isOver())
    if (why !== undefined) return { ok: false, why, text: textOf(error) }
    // The bootstrap catches all it calls: what arrives here is a rejection that nobody handled.
    orphan = textOf(error)
  }
  try {
    const outbox: unknown = guest.collect.applySync(undefined, [], timeLeft())
    if (typeof outbox !== 'string' || outbox.length > maxOutbox + maxHead)
      return { ok: false, why: 'flood', text: 'no outbox' }
    return { ok: true, outbox, orphan }
  } catch (error) {
    return { ok: false, why: reasonOf(error, guest, isOver()) ?? 'flood', text: textOf(error) }
  }
}

/**
 * Gives back what loading and first calls left behind, half-used pages included: a sixth of a small module's memory. No
 * code of the guest's runs. False where that did not work: such an isolate is not kept.
 */
export function sweepGuest(guest: GuestIsolate, sliceMs: number): boolean {
  try {
    if (!guest.isolate.isDisposed) guest.sweep.applySync(undefined, [], { timeout: sliceMs })
    return true
  } catch {
    return false
  }
}

/** One slice for all that a load or a step runs in turn; a last call always gets a moment. */
function startCountdown(sliceMs: number) {
  const end = performance.now() + sliceMs
  return {
    timeLeft: () => ({ timeout: Math.max(leastTimeoutMs, Math.ceil(end - performance.now())) }),
    /** Timers may be early by a part of a millisecond. */
    isOver: () => performance.now() > end - 1,
  }
}

export function disposeGuest(guest: GuestIsolate): void {
  if (!guest.isolate.isDisposed) guest.isolate.dispose()
}

/** Heap and external memory of one isolate, in MB. */
export function heapMb(guest: GuestIsolate): number {
  if (guest.isolate.isDisposed) return 0
  const heap = guest.isolate.getHeapStatisticsSync()
  return (heap.total_heap_size + heap.externally_allocated_size) / 1_048_576
}

/**
 * isolated-vm tells its own errors by message only, and a guest may throw the like. A timeout before its time is forged: with
 * little CPU time it would count as starved, which nobody is blamed for, and be tried again until its request's time is up.
 * The other costs it its isolate, like the real one.
 */
function reasonOf(error: unknown, guest: GuestIsolate, isOver: boolean): GoneReason | undefined {
  const text = textOf(error)
  if (text.startsWith('Script execution timed out')) return isOver ? 'timeout' : undefined
  if (guest.isolate.isDisposed || text.startsWith('Isolate was disposed')) return 'memory'
  return undefined
}

/** What the host keeps of an error, at most: a stack begins with the message, which is as long as the guest's heap allows. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return 'an error that is none'
  const stack = typeof error.stack === 'string' ? error.stack.slice(0, longestStack) : ''
  const own = stack.split('\n').filter((line) => line.includes(bundleFile))
  return [String(error.message).slice(0, 2_000), ...own.slice(0, 10)].join('\n').slice(0, longestError)
}

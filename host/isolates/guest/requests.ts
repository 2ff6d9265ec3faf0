import type { GuestErrors } from './errors.ts'
import type { GuestLimits } from './guest-limits.ts'
import type { Outbox } from './outbox.ts'
import type { Primordials } from './primordials.ts'
import type { TimerOwner, Timers } from './timers.ts'

type Call = (path: string, args?: unknown) => Promise<unknown>

/** What a module's handler gets to reach the host: the call itself, the same with text for an answer, and its log. */
export type BoundCall = Call & { raw?: Call; log?: (level: unknown, message: unknown) => void }

export type Handle = (entry: string, input: unknown, call: BoundCall) => unknown

/** Whose log lines and timers are counted. */
type Logging = TimerOwner & { id: number; limits: GuestLimits; logged: number }
/** `firstCall`: none of its calls has a lower number. */
type Request = Logging & { pending: number; total: number; firstCall: number }
type Pending = { request: Request; raw: boolean; resolve: (value: unknown) => void; reject: (error: unknown) => void }

/** The open requests of an isolate and the service calls they wait for. Sent into the isolate as source text. */
export function makeRequests(
  primordials: Primordials,
  errors: GuestErrors,
  outbox: Outbox,
  runnerLimits: GuestLimits,
  timers: Timers,
) {
  const { parse, stringify, defineProperty, toText, GuestError, GuestPromise, mapGet, mapSet, mapDelete } = primordials
  const { limitError, printable, describe } = errors
  const requests = new Map<number, Request>()
  const calls = new Map<number, Pending>()
  let openRequests = 0
  let timersAllowed = 0
  let lastCall = 0
  let latest: Logging = { id: 0, limits: runnerLimits, logged: 0, open: false, timers: 0, ring: undefined }
  let nextLimits = runnerLimits

  /** Nobody answers them any more: what waits for them would be held for as long as the isolate lives. */
  const forgetCalls = (request: Request) => {
    for (let id = request.firstCall; request.pending > 0 && id <= lastCall; id++) {
      if ((mapGet(calls, id) as Pending | undefined)?.request !== request) continue
      mapDelete(calls, id)
      request.pending--
    }
  }
  const close = (request: Request) => {
    if (!request.open) return
    request.open = false
    mapDelete(requests, request.id)
    forgetCalls(request)
    openRequests--
    timersAllowed -= request.limits.pendingCalls
    timers.leave(request)
    if (openRequests === 0) timers.clearAll()
  }
  const fail = (request: Request, thrown: unknown, kind: string) => {
    if (!request.open) return
    const text = describe(thrown, kind)
    close(request)
    outbox.post(`f${request.id} ${text.length}\n${text}`)
  }
  const finish = (request: Request, value: unknown) => {
    if (!request.open) return
    // A string goes as it is: what the SDK answers with is text already.
    const kind = typeof value === 'string' ? 's' : 'd'
    let text: string | undefined
    try {
      if (typeof value === 'function' || typeof value === 'symbol') throw new GuestError(`a ${typeof value} is no JSON`)
      text = typeof value === 'string' ? value : (stringify(value) ?? 'null')
    } catch (error) {
      return fail(request, error, 'unserialisable')
    }
    if (typeof text !== 'string') text = 'null'
    if (text.length > request.limits.resultLength) {
      return fail(
        request,
        new GuestError(`a result of ${text.length} characters, of at most ${request.limits.resultLength}`),
        'result_too_large',
      )
    }
    outbox.post(`${kind}${request.id} ${text.length}\n${text}`)
    close(request)
  }
  const settle = async (request: Request, value: unknown) => {
    try {
      finish(request, await value)
    } catch (error) {
      fail(request, error, 'threw')
    }
  }

  const serviceCall = (request: Request, path: unknown, args: unknown, raw: boolean) =>
    new GuestPromise((resolve, reject) => {
      if (!request.open) throw new GuestError('this request has ended')
      const { limits } = request
      if (request.pending >= limits.pendingCalls || request.total >= limits.totalCalls) {
        throw limitError('too_many_calls', 'too many service calls')
      }
      const name = toText(path)
      const text = stringify(args) ?? 'null'
      if (name.length > 200) throw limitError('argument_too_large', 'a path of more than 200 characters')
      if (text.length > limits.argumentLength) {
        throw limitError('argument_too_large', `arguments of ${text.length} characters`)
      }
      const id = ++lastCall
      outbox.post(`h${request.id} ${id} ${name.length} ${text.length}\n${name}${text}`)
      request.pending++
      request.total++
      mapSet(calls, id, { request, raw, resolve, reject })
    })
  const serviceError = (text: string) => {
    const fields = parse(text) as Record<string, unknown>
    const error = new GuestError(toText(fields.message))
    for (const key in fields) {
      if (key === 'message') continue
      defineProperty(error, key, { value: fields[key], enumerable: true, configurable: true, writable: true })
    }
    return error
  }
  /** One line above the limit goes out, which the host makes the one that says so: it would drop the rest, at its own cost. */
  const log = (request: Logging, level: unknown, message: unknown) => {
    const { id, limits } = request
    if (request.logged > limits.logLines) return
    request.logged++
    const known = level === 'debug' || level === 'warn' || level === 'error' ? level : 'info'
    const text = `${known} ${printable(message, limits.logLineLength)}`
    outbox.post(`l${id} ${text.length}\n${text}`)
  }

  return {
    anyOpen: () => openRequests > 0,
    /** Logs for the request that ran last: `console` does not know better. */
    log: (level: unknown, message: unknown) => log(latest, level, message),
    /** Timers are the isolate's: as many as all open requests may have, none where nothing is open. */
    timersAllowed: () => timersAllowed,
    /** Who sets a timer now, as near as it is known. */
    timerOwner: (): TimerOwner | undefined => (latest.open ? latest : undefined),
    /** The next request comes with limits of its own. */
    limitNext(text: string): void {
      nextLimits = parse(text) as GuestLimits
    },
    begin(handle: Handle, id: number, entry: string, input: string): void {
      const request: Request = {
        id,
        limits: nextLimits,
        logged: 0,
        pending: 0,
        total: 0,
        open: true,
        timers: 0,
        ring: undefined,
        firstCall: lastCall + 1,
      }
      nextLimits = runnerLimits
      mapSet(requests, id, request)
      openRequests++
      timersAllowed += request.limits.pendingCalls
      latest = request
      const bound: BoundCall = (path, args) => serviceCall(request, path, args, false)
      bound.raw = (path, args) => serviceCall(request, path, args, true)
      bound.log = (level, message) => log(request, level, message)
      try {
        const value = handle(entry, parse(input === '' ? 'null' : input), bound)
        if ((typeof value === 'object' || typeof value === 'function') && value !== null && 'then' in value) {
          settle(request, value)
        } else finish(request, value)
      } catch (error) {
        fail(request, error, 'threw')
      }
    },
    answer(id: number, ok: boolean, text: string): void {
      const pending = mapGet(calls, id) as Pending | undefined
      if (pending === undefined) return
      mapDelete(calls, id)
      pending.request.pending--
      latest = pending.request
      try {
        if (!ok) pending.reject(serviceError(text))
        else pending.resolve(pending.raw ? text : parse(text))
      } catch (error) {
        pending.reject(error)
      }
    },
    end(id: number): void {
      const request = mapGet(requests, id) as Request | undefined
      if (request !== undefined) close(request)
    },
  }
}

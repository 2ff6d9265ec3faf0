import type { GuestShims } from './shims.ts'

/** What the bootstrap is told by the runner. */
export type GuestSettings = {
  pendingCalls: number
  totalCalls: number
  argumentLength: number
  resultLength: number
  outboxLength: number
  seed: readonly number[]
}

export type GuestApi = { load: () => void; step: (messages: string) => void; collect: () => string }

/**
 * Runs inside every isolate before the partner's bundle and is sent there as its own source text: it must not refer to
 * anything outside itself. All it uses later is captured now, since the bundle may replace any global or prototype; frames
 * are built from primitives only, so neither `toJSON` nor a setter on a prototype reaches them. What a guest does to
 * itself does not matter: the host trusts nothing that comes out.
 */
export function guestBootstrap(settings: GuestSettings, shims: GuestShims): GuestApi {
  const root = globalThis as unknown as Record<string, unknown>
  const { parse, stringify } = JSON
  const { apply, construct, defineProperty, deleteProperty } = Reflect
  const call = Function.prototype.call
  const unbound = <This, Args extends unknown[], Result>(method: (this: This, ...args: Args) => Result) =>
    call.bind(method as never) as unknown as (self: This, ...args: Args) => Result
  const slice = unbound(String.prototype.slice)
  const indexOf = unbound(String.prototype.indexOf as (this: string, search: string, from: number) => number)
  const mapGet = unbound(Map.prototype.get as (this: Map<number, unknown>, key: number) => unknown)
  const mapSet = unbound(Map.prototype.set as (this: Map<number, unknown>, key: number, value: unknown) => unknown)
  const mapDelete = unbound(Map.prototype.delete as (this: Map<number, unknown>, key: number) => boolean)
  const mapClear = unbound(Map.prototype.clear as (this: Map<number, unknown>) => void)
  const weakGet = unbound(WeakMap.prototype.get as (this: WeakMap<object, string>, key: object) => string | undefined)
  const weakSet = unbound(
    WeakMap.prototype.set as (this: WeakMap<object, string>, key: object, value: string) => unknown,
  )
  const GuestPromise = Promise
  const GuestError = Error
  const toText = String
  const createObject = Object.create

  type Request = { id: number; pending: number; total: number; open: boolean }
  type Pending = { request: Request; raw: boolean; resolve: (value: unknown) => void; reject: (error: unknown) => void }
  type CallOptions = ((path: string, args?: unknown) => Promise<unknown>) & {
    raw?: (path: string, args?: unknown) => Promise<unknown>
    log?: (level: unknown, message: unknown) => void
  }
  type Handle = (entry: string, input: unknown, call: CallOptions) => unknown

  const requests = new Map<number, Request>()
  const calls = new Map<number, Pending>()
  const timers = new Map<number, () => void>()
  const limitKinds = new WeakMap<object, string>()
  let openRequests = 0
  let pendingTimers = 0
  let lastCall = 0
  let lastTimer = 0
  let latestRequest = 0
  let outbox = ''
  let handle: Handle | undefined

  const limitError = (kind: string, message: string) => {
    const error = new GuestError(message)
    defineProperty(error, 'code', { value: kind, enumerable: true, configurable: true, writable: true })
    weakSet(limitKinds, error, kind)
    return error
  }
  const post = (message: string) => {
    if (outbox.length + message.length > settings.outboxLength) throw limitError('flood', 'too much output in one step')
    outbox += message
  }
  const clipped = (text: string, length: number) => (text.length > length ? slice(text, 0, length) : text)
  const printable = (value: unknown, length: number): string => {
    try {
      return clipped(typeof value === 'string' ? value : toText(value), length)
    } catch {
      return 'unprintable'
    }
  }

  /** An error as JSON of known fields, built by hand. Reading them runs the guest's getters here, inside its time slice. */
  const describe = (thrown: unknown, kind: string): string => {
    let reported = kind
    let message = 'unprintable error'
    let rest = ''
    try {
      if ((typeof thrown === 'object' || typeof thrown === 'function') && thrown !== null) {
        const error = thrown as { name?: unknown; message?: unknown; stack?: unknown; code?: unknown; status?: unknown }
        reported = weakGet(limitKinds, error) ?? kind
        const { name, stack, code, status } = error
        message = printable(error.message, 2_000)
        if (typeof name === 'string') rest += `,"name":${quote(clipped(name, 100))}`
        if (typeof stack === 'string') rest += `,"stack":${quote(clipped(stack, 6_000))}`
        if (typeof code === 'string') rest += `,"code":${quote(clipped(code, 100))}`
        if (typeof status === 'number' && status > 0 && status < 1_000) rest += `,"status":${status}`
      } else message = printable(thrown, 2_000)
    } catch {}
    return `{"kind":${quote(reported)},"message":${quote(message)}${rest}}`
  }
  const quote = (text: string): string => {
    const quoted = stringify(createQuotable(text))
    return typeof quoted === 'string' ? slice(quoted, 5, -1) : '""'
  }
  /** A property of an object without prototype is written as it is, whatever `String.prototype.toJSON` says of bare text. */
  const createQuotable = (text: string): object => {
    const holder = createObject(null) as { a: string }
    holder.a = text
    return holder
  }

  const close = (request: Request) => {
    if (!request.open) return
    request.open = false
    mapDelete(requests, request.id)
    openRequests--
    if (openRequests === 0) {
      mapClear(timers)
      pendingTimers = 0
    }
  }
  const fail = (request: Request, thrown: unknown, kind: string) => {
    if (!request.open) return
    const text = describe(thrown, kind)
    close(request)
    post(`f${request.id} ${text.length}\n${text}`)
  }
  const finish = (request: Request, value: unknown) => {
    if (!request.open) return
    let text: string | undefined
    try {
      if (typeof value === 'function' || typeof value === 'symbol') throw new GuestError(`a ${typeof value} is no JSON`)
      // A long string needs no writing out to be too long.
      text = typeof value === 'string' && value.length > settings.resultLength ? value : (stringify(value) ?? 'null')
    } catch (error) {
      return fail(request, error, 'unserialisable')
    }
    if (typeof text !== 'string') text = 'null'
    if (text.length > settings.resultLength) {
      return fail(request, new GuestError(`a result of ${text.length} characters`), 'result_too_large')
    }
    close(request)
    post(`d${request.id} ${text.length}\n${text}`)
  }

  const serviceCall = (request: Request, path: unknown, args: unknown, raw: boolean) =>
    new GuestPromise((resolve, reject) => {
      if (!request.open) throw new GuestError('this request has ended')
      if (request.pending >= settings.pendingCalls || request.total >= settings.totalCalls) {
        throw limitError('too_many_calls', 'too many service calls')
      }
      const name = toText(path)
      const text = stringify(args) ?? 'null'
      if (name.length > 200) throw limitError('argument_too_large', 'a path of more than 200 characters')
      if (text.length > settings.argumentLength) {
        throw limitError('argument_too_large', `arguments of ${text.length} characters`)
      }
      const id = ++lastCall
      post(`h${request.id} ${id} ${name.length} ${text.length}\n${name}${text}`)
      request.pending++
      request.total++
      mapSet(calls, id, { request, raw, resolve, reject })
    })

  const log = (request: number, level: unknown, message: unknown) => {
    const known = level === 'debug' || level === 'warn' || level === 'error' ? level : 'info'
    const text = `${known} ${printable(message, 4_000)}`
    post(`l${request} ${text.length}\n${text}`)
  }

  const settle = async (request: Request, value: unknown) => {
    try {
      finish(request, await value)
    } catch (error) {
      fail(request, error, 'threw')
    }
  }
  const begin = (id: number, entry: string, input: string) => {
    const request: Request = { id, pending: 0, total: 0, open: true }
    mapSet(requests, id, request)
    openRequests++
    latestRequest = id
    const bound: CallOptions = (path, args) => serviceCall(request, path, args, false)
    bound.raw = (path, args) => serviceCall(request, path, args, true)
    bound.log = (level, message) => log(request.id, level, message)
    try {
      const value = handle!(entry, parse(input === '' ? 'null' : input), bound)
      if ((typeof value === 'object' || typeof value === 'function') && value !== null && 'then' in value) {
        settle(request, value)
      } else finish(request, value)
    } catch (error) {
      fail(request, error, 'threw')
    }
  }
  const answer = (id: number, ok: boolean, text: string) => {
    const pending = mapGet(calls, id) as Pending | undefined
    if (pending === undefined) return
    mapDelete(calls, id)
    pending.request.pending--
    latestRequest = pending.request.id
    try {
      if (!ok) pending.reject(serviceError(text))
      else pending.resolve(pending.raw ? text : parse(text))
    } catch (error) {
      pending.reject(error)
    }
  }
  const serviceError = (text: string) => {
    const fields = parse(text) as Record<string, unknown>
    const error = new GuestError(toText(fields.message))
    for (const key in fields) {
      if (key === 'message') continue
      defineProperty(error, key, { value: fields[key], enumerable: true, configurable: true, writable: true })
    }
    return error
  }
  const end = (id: number) => {
    const request = mapGet(requests, id) as Request | undefined
    if (request !== undefined) close(request)
  }
  const fire = (id: number) => {
    const run = mapGet(timers, id) as (() => void) | undefined
    if (run === undefined) return
    mapDelete(timers, id)
    pendingTimers--
    try {
      run()
    } catch (error) {
      log(latestRequest, 'error', describe(error, 'threw'))
    }
  }

  const startTimer = (run: () => void, delay: unknown): number => {
    if (openRequests === 0) throw new GuestError('timers run within a call only')
    if (pendingTimers >= settings.pendingCalls) throw limitError('too_many_calls', 'too many timers')
    const ms = typeof delay === 'number' && delay > 0 ? delay : 0
    const id = ++lastTimer
    post(`t${id} ${ms > 60_000 ? 60_000 : ms - (ms % 1)}\n`)
    mapSet(timers, id, run)
    pendingTimers++
    return id
  }
  const clearTimer = (id: unknown) => {
    if (typeof id === 'number' && mapDelete(timers, id)) pendingTimers--
  }

  // No use for apps, and ways to allocate outside the heap limit, to block a thread or to run code after a call.
  for (const name of [
    'WebAssembly',
    'SharedArrayBuffer',
    'Atomics',
    'FinalizationRegistry',
    'WeakRef',
    'Float16Array',
    'ShadowRealm',
  ]) {
    deleteProperty(globalThis, name)
  }
  // Resizable buffers reserve their maximum outside the heap limit: the constructor keeps its first argument only.
  const NativeBuffer = ArrayBuffer
  const PlainBuffer = function (this: unknown, length: unknown) {
    if (new.target === undefined) throw new TypeError("Constructor ArrayBuffer requires 'new'")
    return construct(NativeBuffer, [length], new.target)
  }
  defineProperty(PlainBuffer, 'name', { value: 'ArrayBuffer', configurable: true })
  defineProperty(PlainBuffer, 'prototype', { value: NativeBuffer.prototype, writable: false })
  defineProperty(PlainBuffer, 'isView', { value: NativeBuffer.isView, writable: true, configurable: true })
  defineProperty(NativeBuffer.prototype, 'constructor', { value: PlainBuffer, writable: true, configurable: true })
  for (const name of ['resize', 'transfer', 'transferToFixedLength']) deleteProperty(NativeBuffer.prototype, name)
  defineProperty(globalThis, 'ArrayBuffer', { value: PlainBuffer, writable: true, configurable: true })

  shims.install({ log: (level, text) => log(latestRequest, level, text), startTimer, clearTimer, seed: settings.seed })

  const step = (messages: string) => {
    let at = 0
    while (at < messages.length) {
      const lineEnd = indexOf(messages, '\n', at)
      const space = indexOf(messages, ' ', at)
      const id = +slice(messages, at + 1, space)
      const kind = messages[at]
      let lengthEnd = lineEnd
      let entry = ''
      if (kind === 'c') {
        lengthEnd = indexOf(messages, ' ', space + 1)
        entry = slice(messages, lengthEnd + 1, lineEnd)
      }
      const start = lineEnd + 1
      at = start + +slice(messages, space + 1, lengthEnd)
      const text = slice(messages, start, at)
      if (kind === 'c') begin(id, entry, text)
      else if (kind === 'r') answer(id, true, text)
      else if (kind === 'e') answer(id, false, text)
      else if (kind === 't') fire(id)
      else end(id)
    }
  }

  return {
    load() {
      const module = root.__partner_module__ as { handle?: unknown } | undefined
      deleteProperty(globalThis, '__partner_module__')
      if (typeof module !== 'object' || module === null) throw new GuestError('the bundle exports nothing')
      const taken = module.handle
      if (typeof taken !== 'function') throw new GuestError('the bundle exports no handle')
      handle = (entry, input, bound) => apply(taken, module, [entry, input, bound])
    },
    step,
    /** What the guest sent since, after one character that says whether it still has open requests. */
    collect() {
      const text = (openRequests > 0 ? '1' : '0') + outbox
      outbox = ''
      return text
    },
  }
}

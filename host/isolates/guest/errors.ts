import type { Primordials } from './primordials.ts'

/** Errors in words: those of limits, and whatever a guest throws. Sent into the isolate as source text. */
export function makeErrors(primordials: Primordials) {
  const { stringify, createObject, defineProperty, toText, GuestError, slice, weakGet, weakSet } = primordials
  const limitKinds = new WeakMap<object, string>()

  const limitError = (kind: string, message: string) => {
    const error = new GuestError(message)
    defineProperty(error, 'code', { value: kind, enumerable: true, configurable: true, writable: true })
    weakSet(limitKinds, error, kind)
    return error
  }
  const clipped = (text: string, length: number) => (text.length > length ? slice(text, 0, length) : text)
  const printable = (value: unknown, length: number): string => {
    try {
      return clipped(typeof value === 'string' ? value : toText(value), length)
    } catch {
      return 'unprintable'
    }
  }
  /** A property of an object without prototype is written as it is, whatever `String.prototype.toJSON` says of bare text. */
  const createQuotable = (text: string): object => {
    const holder = createObject(null) as { a: string }
    holder.a = text
    return holder
  }
  const quote = (text: string): string => {
    const quoted = stringify(createQuotable(text))
    return typeof quoted === 'string' ? slice(quoted, 5, -1) : '""'
  }
  /** What was thrown and is no error, as far as a line of a log shows it. Runs `toJSON` and getters of the guest. */
  const sketch = (thrown: unknown): string => {
    let left = 50
    const few = (_key: string, value: unknown) => {
      if (left-- <= 0) throw new GuestError('too large')
      return typeof value === 'string' ? clipped(value, 200) : value
    }
    try {
      if (typeof thrown !== 'object') return printable(thrown, 500)
      const text = stringify(thrown, few)
      if (typeof text === 'string') return clipped(text, 500)
    } catch {}
    return 'an object'
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
        const said = error.message
        message = said === undefined ? `no Error but ${sketch(thrown)}` : printable(said, 2_000)
        if (typeof name === 'string') rest += `,"name":${quote(clipped(name, 100))}`
        if (typeof stack === 'string') rest += `,"stack":${quote(clipped(stack, 6_000))}`
        if (typeof code === 'string') rest += `,"code":${quote(clipped(code, 100))}`
        if (typeof status === 'number' && status > 0 && status < 1_000) rest += `,"status":${status}`
      } else message = typeof thrown === 'string' ? printable(thrown, 2_000) : `no Error but ${sketch(thrown)}`
    } catch {}
    return `{"kind":${quote(reported)},"message":${quote(message)}${rest}}`
  }
  return { limitError, printable, describe }
}

export type GuestErrors = ReturnType<typeof makeErrors>

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
  return { limitError, printable, describe }
}

export type GuestErrors = ReturnType<typeof makeErrors>

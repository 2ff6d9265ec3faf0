import { ServiceException, toException } from '../errors.ts'
import { refuseLost } from '../json-values.ts'

/** The host's door of one request: JSON in, JSON out. `log` is there in the sandbox. */
export type HostCall = {
  (path: string, args?: unknown): Promise<unknown>
  raw?(path: string, args?: unknown): Promise<unknown>
  log?(level: string, message: string): void
}

/**
 * Calls the host. Its refusals are thrown as classes of the SDK, with the stack of the partner's line that called; arguments
 * that would arrive as something else are refused here, with a TypeError.
 */
export async function callHost<Result>(call: HostCall, path: string, args: unknown): Promise<Result> {
  // Taken before the call: afterwards a handler that returned the promise unawaited is on no stack. V8 formats it only if read.
  const origin: { stack?: string } = {}
  Error.captureStackTrace(origin, callHost)
  refuseLost(args, `${path}: argument`)
  try {
    return (await call(path, args)) as Result
  } catch (error) {
    const exception = toException(error, path)
    if (exception instanceof ServiceException) exception.stack = `${exception}${framesOf(origin)}`
    throw exception
  }
}

function framesOf({ stack = '' }: { stack?: string }): string {
  const first = stack.indexOf('\n')
  return first === -1 ? '' : stack.slice(first)
}

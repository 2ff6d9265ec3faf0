import { toException } from '../errors.ts'

/** The host's door of one request: JSON in, JSON out. `log` is there in the sandbox. */
export type HostCall = {
  (path: string, args?: unknown): Promise<unknown>
  raw?(path: string, args?: unknown): Promise<unknown>
  log?(level: string, message: string): void
}

/** Calls the host. Its refusals are thrown as classes of the SDK, made here so that the stack names the partner's line. */
export async function callHost<Result>(call: HostCall, path: string, args: unknown): Promise<Result> {
  try {
    return (await call(path, args)) as Result
  } catch (error) {
    throw toException(error, path)
  }
}

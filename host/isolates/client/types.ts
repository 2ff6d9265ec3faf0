import type { RequestLimits } from '../limits.ts'
import type { Lent } from '../wire/lent-buffers.ts'

export type Installation = { id: string; app: string; version: string; tenantId: string }

/** One script that sets `globalThis.__partner_module__ = { handle(entry, input, call) }`. */
export type GuestBundle = {
  code: string
  sourceMap?: string
  /** Hash of the code; the key of everything cached about it. */
  hash: string
  /** As sealed by `sealCodeCache`. One that does not verify is ignored. */
  codeCache?: Uint8Array
}

export type GuestRequest = {
  /** Isolates belong to an installation and version; they are never shared. */
  installation: Installation
  /** Called only when the isolate is cold, or to map a stack. */
  loadBundle: () => Promise<GuestBundle>
  /** `route`, `tool`, `widget`, `event`, `describe`, …: handed to the guest. One word. */
  entry: string
  /** JSON text, passed on unparsed. */
  input: string
  /**
   * A service call of this request: JSON text in, JSON text out. A rejection becomes an error in the guest that carries
   * `code`, `status`, `message`, `scope`, `errors` and nothing else.
   */
  serve: (path: string, args: string) => Promise<string>
  /** True once this request wrote something: then it is never tried again. */
  wrote?: () => boolean
  onLog?: (line: { level: string; message: string }) => void
  /** Of its own, over the client's. Resolved once for each object: keep it for the next call. */
  limits?: Readonly<Partial<RequestLimits>> | undefined
  /** Sends this call to the quarantine runner. First loads and suspects go there in any case. */
  quarantine?: boolean
}

export type FailureKind =
  | 'threw'
  | 'timeout'
  | 'never_settled'
  | 'cpu'
  | 'memory'
  | 'flood'
  | 'result_too_large'
  | 'unserialisable'
  | 'argument_too_large'
  | 'too_many_calls'
  | 'load_failed'
  | 'runner_lost'
  | 'quarantined'
  | 'dropped'

export type GuestFailure = {
  kind: FailureKind
  /** The guest's own words when it threw: for the module's log, never for a page. */
  message: string
  name?: string
  /** In the partner's own files and lines. */
  stack?: string
  code?: string
  status?: number
}

/** A string. A long one stays the UTF-8 bytes it came as, in memory that is lent: whoever gets it releases it. */
export type GuestText = { text: string } | { lent: Lent }

/** What a handler answered with: a string as it is, anything else as JSON text whose form alone was checked. */
export type GuestResult = GuestText | { json: string }

export type GuestAnswer =
  | { ok: true; result: GuestResult; cpuMs: number; serviceCalls: number }
  | { ok: false; error: GuestFailure; cpuMs: number; serviceCalls: number }

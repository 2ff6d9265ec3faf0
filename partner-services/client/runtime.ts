/** What a client needs to know. */
export type PartnerClientOptions = {
  /** Address of the runtime API, ending in `/apps`. */
  baseUrl: string
  /** The installation token. Keep it on your server: it must never reach a browser. */
  token: string
  /** Language of messages. */
  language?: 'en' | 'ar'
  /** How often a request is tried again after 429, 5xx or a broken connection; 4 unless given. */
  retries?: number
  /**
   * Milliseconds that one try may take, its body included; 60,000 unless given. The platform itself gives up after 35 s at
   * most and says so with 503, which a shorter time would miss.
   */
  timeoutMs?: number
  fetch?: typeof fetch
}

type ErrorBody = { message?: string; error?: string; scope?: string; errors?: Record<string, string[]> }

/**
 * A refusal of the platform, or an answer of something else that stands between you and it: a 2xx without a JSON object is
 * one too. `code` never changes; `message` is for people.
 */
export class PartnerApiError extends Error {
  override name = 'PartnerApiError'
  readonly status: number
  /** For example `scope_not_granted`, or `unavailable` on 503. Null on 500 and where the platform was not reached. */
  readonly code: string | null
  /** On `scope_not_granted`: the missing scope. */
  readonly scope: string | null
  /** On `invalid_data`: messages by field. */
  readonly errors: Record<string, string[]>
  /** Quote it to support. */
  readonly requestId: string | null
  constructor(response: Response, body: ErrorBody) {
    super(body.message ?? `HTTP ${response.status}`)
    this.status = response.status
    this.code = body.error ?? null
    this.scope = body.scope ?? null
    this.errors = body.errors ?? {}
    this.requestId = response.headers.get('x-request-id')
  }
}

/** For one call: `idempotencyKey` replaces the one made for each write, `signal` ends it. */
export type CallOptions = { idempotencyKey?: string; signal?: AbortSignal }

type Fields = Record<string, unknown>
type Call = <Result>(method: string, path: string, input?: Fields, options?: CallOptions) => Promise<Result>

const longestPause = 60_000

/** Sends requests; a write carries the same idempotency key at each try, so that it is executed once. */
function createCall(options: PartnerClientOptions): Call {
  const { baseUrl, token, language = 'en', retries = 4, timeoutMs = 60_000, fetch: send = fetch } = options
  return async <Result>(
    method: string,
    path: string,
    input: Fields = {},
    { idempotencyKey, signal }: CallOptions = {},
  ) => {
    const { url, rest } = fill(baseUrl.replace(/\/$/, '') + path, input)
    const headers: Record<string, string> = { authorization: `Bearer ${token}`, 'accept-language': language }
    const init: RequestInit = { method, headers }
    if (method !== 'GET') {
      headers['content-type'] = 'application/json'
      headers['idempotency-key'] = idempotencyKey ?? crypto.randomUUID()
      init.body = JSON.stringify(rest)
    }
    const target = method === 'GET' ? url + queryOf(rest) : url
    // A wrong address, token or key throws here, and is not tried again like a broken connection.
    void new Request(target, init)
    for (let attempt = 0; ; attempt++) {
      const timeout = AbortSignal.timeout(timeoutMs)
      const answer = await send(target, { ...init, signal: signal ? AbortSignal.any([signal, timeout]) : timeout })
        .then(readWhole)
        .catch((error: unknown) => {
          if (attempt >= retries || signal?.aborted) throw error
          return null
        })
      if (answer?.response.ok) return resultOf(answer) as Result
      if (answer && (attempt >= retries || !isTransient(answer.response)))
        throw new PartnerApiError(answer.response, (objectOf(answer.text) ?? {}) as ErrorBody)
      await pause(answer?.response.headers.get('retry-after') ?? null, attempt, signal)
    }
  }
}

type Answer = { response: Response; text: string }

/** A connection may break while the body arrives. */
const readWhole = async (response: Response): Promise<Answer> => ({ response, text: await response.text() })

function resultOf({ response, text }: Answer): Fields {
  const result = objectOf(text)
  if (!result) throw new PartnerApiError(response, { message: `HTTP ${response.status} without a JSON object` })
  return result
}

/** Every answer of the platform is an object; what stands between you and it may answer with anything. */
function objectOf(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && !Array.isArray(value) ? (value as Fields | null) : null
  } catch {
    return null
  }
}

const isTransient = ({ status, headers }: Response): boolean =>
  status === 429 || status >= 500 || (status === 409 && headers.has('retry-after'))

/** As long as the platform asks for, else twice as long at each attempt, with a random part. */
function pause(retryAfter: string | null, attempt: number, signal: AbortSignal | undefined): Promise<void> {
  const asked = retryAfter === null ? Number.NaN : Number(retryAfter) * 1_000
  const backOff = 250 * 2 ** attempt * (0.5 + Math.random())
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const go = () => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }
    const timer = setTimeout(go, Math.min(Number.isFinite(asked) ? asked : backOff, longestPause))
    signal?.addEventListener('abort', stop, { once: true })
  })
}

function fill(path: string, input: Fields): { url: string; rest: Fields } {
  const rest = { ...input }
  const url = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name]
    delete rest[name]
    return segmentOf(String(value))
  })
  return { url, rest }
}

/** What an address would fold away becomes an id that no record has: not found, and not the answer of another path. */
const segmentOf = (text: string): string => (/^\.{0,2}$/.test(text) ? '-' : encodeURIComponent(text))

function queryOf(fields: Fields): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  return given.length === 0
    ? ''
    : `?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))}`
}

/** The items of all pages, one after another. Driven by `total`, since a page may show fewer items than it counts. */
async function* everyItem<Item>(
  list: (input: Fields) => Promise<unknown>,
  input: Fields = {},
  key: string,
): AsyncGenerator<Item> {
  const perPage = Number(input.per_page ?? 100)
  for (let page = Number(input.page ?? 1), total = Number.POSITIVE_INFINITY; (page - 1) * perPage < total; page++) {
    const answer = (await list({ ...input, page, per_page: perPage })) as { total: number } & Record<string, Item[]>
    total = answer.total
    yield* answer[key] as Item[]
  }
}

export { createCall, everyItem }

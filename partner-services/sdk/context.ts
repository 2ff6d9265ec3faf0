import type { Services } from './generated/services.ts'
import type { Sql } from './sql.ts'

/** Who is signed in at the school. Null where none of these is: nobody, or a supervisor of the platform. */
export type Viewer = {
  type: 'employee' | 'student' | 'guardian'
  /** Equal to the id of the matching record. */
  id: string
  displayName: string
  /** Role keys, for example `librarian`; empty for students and guardians. */
  roles: string[]
  /** Id of the school. */
  entityId: string
}

export type Locale = 'en' | 'ar'

/**
 * The module's own tables, this school's rows. Every statement is bounded in time and size, and has at most 1,000 bound
 * values, of which a list is one: JSON for a `json` or `jsonb`, an array for an array, as in `= any (${ids})`; where one
 * text stands, as in `in (${ids})`, a list is refused. What is refused or fails is thrown as `DatabaseException`.
 */
export type Queries = {
  /**
   * All rows. Timestamps come as ISO text, dates as `YYYY-MM-DD`, `numeric` as text, `json` parsed, `bytea` in base64, and a
   * `bigint` as a number while that is exact, else as text.
   */
  rows<Row = Record<string, unknown>>(statement: Sql): Promise<Row[]>
  /** The first row, or null. */
  row<Row = Record<string, unknown>>(statement: Sql): Promise<Row | null>
  /** How many rows the statement changed. */
  execute(statement: Sql): Promise<number>
}

export type Database = Queries & {
  /**
   * Runs `work` in one transaction on one connection: all of it is kept, or, when it throws, nothing. Use its `tx`, not
   * `db`, within. The transaction ends with the function, and after five seconds in any case. A request has at most two
   * at one time.
   */
  transaction<Result>(work: (tx: Queries) => Promise<Result>): Promise<Result>
}

export type FetchOptions = { method?: string; headers?: Record<string, string>; body?: string }

export type FetchResponse = {
  status: number
  ok: boolean
  headers: Record<string, string>
  text(): string
  json(): unknown
}

export type Log = Record<'debug' | 'info' | 'warn' | 'error', (message: string) => void>

/**
 * What every handler gets: bound to this call, and nothing else reaches the platform. Of it a host of this version does not
 * offer `fetch`, `notify` and `publish`: a call of one throws an error of code `not_offered`.
 */
export type Context = {
  /** The partner service layer, one method for each operation. A refusal is thrown as a class of the SDK. */
  services: Services
  /** The module's own schema: `rows`, `row`, `execute`, `transaction`. */
  db: Database
  /** Who is signed in; null on public pages, and for a supervisor of the platform, who is of no such type. */
  viewer: Viewer | null
  /** The language to answer in. */
  locale: Locale
  /** The school's settings of this app. */
  settings: Record<string, unknown>
  /** Calls a host that the manifest declares. Others are refused. */
  fetch(url: string, options?: FetchOptions): Promise<FetchResponse>
  /** Sends one of the notifications that the manifest declares, to people of this school. */
  notify(key: string, variables: Record<string, unknown>, recipients: string[]): Promise<void>
  /** Publishes a message to this app's own realtime channel. */
  publish(event: string, payload: Record<string, unknown>): Promise<void>
  /** Writes to the module's log, under this call's invocation id. */
  log: Log
}

export type Fields = Record<string, string | undefined>

export type ModuleRequest = {
  method: string
  /** Relative to `/m/<slug>`, for example `/loans/01J…`. */
  path: string
  /** The `:name` parts of the route's path. */
  params: Record<string, string>
  /** Of a name that came more than once the last value. */
  query: Fields
  /**
   * A form's fields, of a name that came more than once the last value. A JSON object stands for a form: its numbers come as
   * text, its lists as fields that came more than once; what no form could send is answered 422 before the module is asked.
   */
  body: Fields
  /** Every value of one field in its order: of what was posted, else of the query. */
  valuesOf(name: string): string[]
  /** An allow-list of the request's headers, in lower case. */
  headers: Fields
}

/** A route's context: the common one and the request. */
export type RouteContext = Context & {
  request: ModuleRequest
  params: Record<string, string>
  query: Fields
  body: Fields
}

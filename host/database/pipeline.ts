import pg from 'pg'

/** One statement of a pipeline. Its text becomes a prepared statement of the connection. */
export type Statement = { text: string; values: readonly unknown[] }

export type Row = Record<string, unknown>

type Field = { name: string; dataTypeID: number }

/** What we use of pg's connection; it has no types of its own for the extended protocol. */
type Connection = {
  stream: { cork(): void; uncork(): void }
  parse(message: { text: string; name: string; types: number[] }): void
  bind(message: {
    portal: string
    statement: string
    values: readonly unknown[]
    binary: boolean
    valueMapper: (value: unknown) => unknown
  }): void
  describe(message: { type: 'P'; name: string }): void
  close(message: { type: 'S'; name: string }): void
  execute(message: { portal: string; rows: number }): void
  sync(): void
  sendCopyFail(reason: string): void
}

/** A statement that a connection has prepared. Its columns are asked for once: a prepared statement keeps them. */
type Prepared = { name: string; columns: Column[] | null }

type Column = { name: string; parse: (text: string) => unknown }

/** What a connection has prepared, by the statement's text, and names that it shall close with its next pipeline. */
type Session = { prepared: Map<string, Prepared>; closing: string[] }

const sessions = new WeakMap<object, Session>()

/** Each may cost the server 160 kB as long as it is kept; the oldest goes, and is prepared anew if it is asked for again. */
const mostPrepared = 256

/**
 * Runs several statements in one round trip: one Sync, hence one implicit transaction where none is open.
 * Answers with the rows of each statement. Rejects with PostgreSQL's error, after which the connection is usable.
 */
export function runPipeline(client: pg.ClientBase, statements: readonly Statement[]): Promise<Row[][]> {
  return new Promise((resolve, reject) => {
    client.query(new Pipeline(statements, resolve, reject) as unknown as pg.Submittable)
  })
}

class Pipeline {
  readonly #statements: readonly Statement[]
  readonly #resolve: (rows: Row[][]) => void
  readonly #reject: (error: Error) => void
  readonly #results: Row[][]
  #index = 0
  readonly #prepared: Prepared[] = []
  #settled = false
  readonly #fresh = new Set<string>()

  constructor(statements: readonly Statement[], resolve: (rows: Row[][]) => void, reject: (error: Error) => void) {
    this.#statements = statements
    this.#resolve = resolve
    this.#reject = reject
    this.#results = statements.map(() => [])
  }

  submit(connection: Connection): void {
    connection.stream.cork()
    const session = sessionOf(connection)
    // First of all: what comes after an error is not read by the server.
    for (const name of session.closing.splice(0)) connection.close({ type: 'S', name })
    for (const { text, values } of this.#statements) {
      let known = session.prepared.get(text)
      if (known === undefined) {
        known = { name: `p${nameCounter++}`, columns: null }
        connection.parse({ text, name: known.name, types: [] })
        keep(session, text, known)
        this.#fresh.add(text)
      }
      this.#prepared.push(known)
      connection.bind({ portal: '', statement: known.name, values, binary: false, valueMapper: toWire })
      if (known.columns === null) connection.describe({ type: 'P', name: '' })
      connection.execute({ portal: '', rows: 0 })
    }
    connection.sync()
    connection.stream.uncork()
  }

  handleRowDescription({ fields }: { fields: Field[] }): void {
    this.#prepared[this.#index]!.columns = fields.map(({ name, dataTypeID }) => ({ name, parse: parserOf(dataTypeID) }))
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    const columns = this.#prepared[this.#index]!.columns!
    const row: Row = {}
    for (let i = 0; i < fields.length; i++) {
      const field = fields[i]!
      const { name, parse } = columns[i]!
      row[name] = field === null ? null : parse(field)
    }
    this.#results[this.#index]!.push(row)
  }

  handleCommandComplete(): void {
    this.#prepared[this.#index]!.columns ??= []
    this.#index++
  }

  handleEmptyQuery(): void {
    this.#index++
  }

  handlePortalSuspended(): void {}
  handleCopyData(): void {}
  handleCopyInResponse(connection: Connection): void {
    connection.sendCopyFail('not supported')
  }

  // pg forgets the active query on an error, before the server is ready again: settle here.
  handleError(error: Error, connection?: Connection): void {
    if (this.#settled) return
    this.#settled = true
    // Whether a statement that is new here was prepared before the error is not known: next time it gets a new name.
    if (connection) for (const text of this.#fresh) forget(sessionOf(connection), text)
    this.#reject(error)
  }

  handleReadyForQuery(): void {
    if (this.#settled) return
    this.#settled = true
    this.#resolve(this.#results)
  }
}

let nameCounter = 0

function sessionOf(connection: Connection): Session {
  const known = sessions.get(connection) ?? { prepared: new Map(), closing: [] }
  sessions.set(connection, known)
  return known
}

function keep(session: Session, text: string, statement: Prepared): void {
  session.prepared.set(text, statement)
  if (session.prepared.size > mostPrepared) forget(session, session.prepared.keys().next().value!)
}

/** Closing a name that the server does not have is no error. */
function forget({ prepared, closing }: Session, text: string): void {
  const statement = prepared.get(text)
  if (!statement) return
  prepared.delete(text)
  closing.push(statement.name)
}

function toWire(value: unknown): unknown {
  if (value === null || value === undefined) return null
  if (typeof value === 'string' || Buffer.isBuffer(value)) return value
  return prepareValue(value)
}

const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } }).utils

const asText = (text: string) => text
const instant = (text: string) => new Date(text).toISOString()

const ownParsers: Record<number, (text: string) => unknown> = {
  20: Number, // int8: counts stay far below 2^53
  25: asText,
  1042: asText,
  1043: asText,
  1082: asText, // date: a day, not a moment
  1184: instant,
}

function parserOf(oid: number): (text: string) => unknown {
  return ownParsers[oid] ?? (pg.types.getTypeParser(oid, 'text') as (text: string) => unknown)
}

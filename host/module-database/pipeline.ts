import type pg from 'pg'
import type { ServerError } from './errors.ts'

/** A named statement of one connection. Its columns are known after its first run. */
export type Prepared = {
  name: string
  text: string
  columns: Column[] | null
  /** Type ids, once `describeParameters` has asked for them. */
  parameterTypes: number[] | null
  /** The server has parsed and described it. */
  ready: boolean
  /** Changes rows and answers them. */
  returning: boolean
}
export type Column = { name: string; dataTypeID: number }

export type Step = {
  prepared: Prepared
  values: (string | null)[]
  /** 0: as many as there are. */
  maxRows: number
  onColumns?(columns: Column[]): void
  onRow?(fields: (string | null)[]): void
}

/** A step that the session keeps nothing of: for statements that are run once. */
export const unnamedStep = (text: string, values: string[] = [], onRow?: Step['onRow']): Step => ({
  prepared: { name: '', text, columns: null, parameterTypes: null, ready: false, returning: false },
  values,
  maxRows: 0,
  ...(onRow && { onRow }),
})

export type StepResult = { tag: string; suspended: boolean }

/** The messages of the extended protocol, as node-postgres's connection sends them. Its types know only half. */
export type Wire = {
  stream: { cork(): void; uncork(): void }
  parse(message: { name: string; text: string; types: number[] }): void
  bind(message: { portal: string; statement: string; values: (string | null)[]; binary: boolean }): void
  describe(message: { type: 'P' | 'S'; name: string }): void
  execute(message: { portal: string; rows: number }): void
  close(message: { type: 'S'; name: string }): void
  sync(): void
  once(event: 'readyForQuery' | 'end', listener: () => void): void
  off(event: 'readyForQuery' | 'end', listener: () => void): void
}

export type PipelineHandlers = pg.Submittable & {
  handleRowDescription(message: { fields: Column[] }): void
  handleDataRow(message: { fields: (string | null)[] }): void
  handleCommandComplete(message: { text: string }): void
  handlePortalSuspended(): void
  handleEmptyQuery(): void
  handleCopyInResponse(): void
  handleCopyData(): void
  handleError(error: ServerError, wire?: unknown): void
  handleReadyForQuery(): void
}

/** A failed pipeline: which step, and what the server said. The connection has been synchronised again. */
export class StepFailure extends Error {
  override name = 'StepFailure'
  readonly step: number
  override readonly cause: ServerError

  constructor(step: number, cause: ServerError) {
    super(cause.message)
    this.step = step
    this.cause = cause
  }
}

/**
 * Runs several statements with one Sync: one round trip and, outside of BEGIN, one transaction. The first failure skips
 * the rest. `closing` names statements that the server may forget on this occasion.
 */
export function runPipeline(
  client: pg.Client,
  steps: readonly Step[],
  closing: readonly string[] = [],
): Promise<StepResult[]> {
  return new Promise((resolve, reject) => {
    const results: StepResult[] = []
    let failed = false
    const finishStep = (tag: string, suspended: boolean) => {
      const step = steps[results.length]
      if (step) step.prepared.ready = true
      results.push({ tag, suspended })
    }
    const query: PipelineHandlers = {
      submit(connection) {
        send(connection as unknown as Wire, steps, closing)
      },
      handleRowDescription({ fields }) {
        const step = steps[results.length]
        if (!step) return
        step.prepared.columns = fields
        step.onColumns?.(fields)
      },
      handleDataRow({ fields }) {
        steps[results.length]?.onRow?.(fields)
      },
      handleCommandComplete({ text }) {
        finishStep(text, false)
      },
      handlePortalSuspended() {
        finishStep('', true)
      },
      handleEmptyQuery() {
        finishStep('', false)
      },
      // COPY cannot pass the guard; should it, the connection is of no further use.
      handleCopyInResponse() {
        reject(new StepFailure(results.length, Object.assign(new Error('COPY'), { code: '42501' })))
      },
      handleCopyData() {},
      handleError(cause, wire) {
        if (failed) return
        failed = true
        const failure = new StepFailure(results.length, cause)
        // node-postgres forgets the query on an error: the end of the pipeline is heard on the connection itself.
        if (cause.code && wire) afterwards(wire as Wire, () => reject(failure))
        else reject(failure)
      },
      handleReadyForQuery() {
        if (!failed) resolve(results)
      },
    }
    client.query(query)
  })
}

/** Once the connection is synchronised again, or gone. */
export function afterwards(wire: Wire, then: () => void): void {
  const settled = () => {
    wire.off('readyForQuery', settled)
    wire.off('end', settled)
    then()
  }
  wire.once('readyForQuery', settled)
  wire.once('end', settled)
}

function send(wire: Wire, steps: readonly Step[], closing: readonly string[]): void {
  wire.stream.cork()
  for (const name of closing) wire.close({ type: 'S', name })
  for (const { prepared, values, maxRows, onColumns } of steps) {
    if (!prepared.ready) wire.parse({ name: prepared.name, text: prepared.text, types: [] })
    wire.bind({ portal: '', statement: prepared.name, values, binary: false })
    if (!prepared.ready) wire.describe({ type: 'P', name: '' })
    else if (prepared.columns) onColumns?.(prepared.columns)
    wire.execute({ portal: '', rows: maxRows })
  }
  wire.sync()
  wire.stream.uncork()
}

import type { Duplex } from 'node:stream'
import pg from 'pg'
import { cancelBackend } from './cancel.ts'
import { ModuleSqlError, moduleError, type ServerError } from './errors.ts'
import { describeParameters } from './parameter-types.ts'
import { type Prepared, runPipeline, type Step, StepFailure, type StepResult } from './pipeline.ts'
import { createPreparedStatements, isStale } from './prepared-statements.ts'

/** One session of one runtime role, with the statements that it has prepared. */
export type ModuleConnection = {
  role: string
  /** Whose statements last succeeded here: another tenant's next one sweeps the session first. */
  lastTenant: string | null
  /** The transaction's state after the last pipeline: `I` none, `T` open, `E` failed; null when the session is lost. */
  status(): 'I' | 'T' | 'E' | null
  prepare(text: string): Prepared
  /** Runs the steps within the limits. Throws ModuleSqlError or StepFailure. */
  run(steps: Step[], limits: SessionLimits): Promise<StepResult[]>
  /** Asks for the statement's `parameterTypes`, in a round trip of its own. Throws as `run` does. */
  describe(prepared: Prepared, limits: SessionLimits): Promise<void>
  /** False once it was cancelled or lost: a late cancellation would hit the next statement. */
  reusable(): boolean
  /** Stops what runs; the pipeline fails with a cancellation. */
  cancel(): void
  /** Ends the session at once. */
  destroy(): void
}

export type SessionLimits = {
  /** One pipeline. The server's own limit for a statement is 2 s; this one holds where that was lifted. Default 2,150. */
  statementMs: number
  /** Bytes that one pipeline may send back before the session is ended. Default 8 MiB. */
  maxSocketBytes: number
}

/** What a cancelled statement may take to notice before its session is ended. */
const graceMs = 150

export async function openModuleConnection(
  config: pg.ClientConfig,
  role: string,
  password: string,
): Promise<ModuleConnection> {
  // The role's own settings hold, which are narrower than the host's.
  const client = new pg.Client({ ...config, options: undefined, user: role, password, connectionTimeoutMillis: 5_000 })
  let lost = false
  let cancelled = false
  client.on('error', () => {
    lost = true
  })
  await client.connect()
  const statements = createPreparedStatements()
  // Known to node-postgres, not to its types.
  const backend = client as unknown as {
    processID: number
    secretKey: number
    getTransactionStatus(): 'I' | 'T' | 'E' | null
    connection: { stream: Duplex }
  }

  // Counted before a message is whole: a single value may be a gigabyte.
  let received = 0
  let mostReceived = Number.POSITIVE_INFINITY
  backend.connection.stream.on('data', (chunk: Buffer) => {
    received += chunk.length
    if (received > mostReceived) destroy()
  })

  /** The server's process, where its session was ended from here while it was at work. */
  let leftBehind: number | undefined
  let working = false
  function destroy(): void {
    lost = true
    if (working) leftBehind = backend.processID
    backend.connection.stream.destroy()
  }

  function cancel(): void {
    cancelled = true
    void cancelBackend(config, { processId: backend.processID, secretKey: backend.secretKey })
  }

  const status = () => (lost ? null : backend.getTransactionStatus())

  /** `closing` names statements that the server may forget on this occasion. */
  async function within<Result>(
    { statementMs, maxSocketBytes }: SessionLimits,
    used: readonly { prepared: Prepared }[],
    work: (closing: string[]) => Promise<Result>,
  ): Promise<Result> {
    let timedOut = false
    let impatient: NodeJS.Timeout | undefined
    const patient = setTimeout(() => {
      timedOut = true
      cancel()
      impatient = setTimeout(destroy, graceMs)
    }, statementMs)
    working = true
    received = 0
    mostReceived = maxSocketBytes
    try {
      return await work(statements.takeForgotten())
    } catch (error) {
      for (const { prepared } of used) if (!prepared.ready) statements.forget(prepared)
      if (error instanceof StepFailure && isStale(error.cause)) statements.forgetAll()
      const about = { unstopped: leftBehind }
      if (received > maxSocketBytes) throw new ModuleSqlError('result_too_large', 'the result is too large', about)
      if (timedOut) throw new ModuleSqlError('timeout', 'the statement took too long', about)
      if (leftBehind !== undefined) throw new ModuleSqlError('unavailable', 'the session was ended', about)
      throw error instanceof StepFailure ? error : moduleError(error as ServerError)
    } finally {
      working = false
      clearTimeout(patient)
      clearTimeout(impatient)
    }
  }

  return {
    role,
    lastTenant: null,
    status,
    reusable: () => !cancelled && status() === 'I',
    cancel,
    destroy,
    prepare: statements.prepare,
    run: (steps, limits) => within(limits, steps, (closing) => runPipeline(client, steps, closing)),
    describe: (prepared, limits) =>
      within(limits, [{ prepared }], (closing) => describeParameters(client, prepared, closing)),
  }
}

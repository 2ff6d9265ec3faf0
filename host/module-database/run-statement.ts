import { type BoundValue, haveNoList, writeLists } from './bound-values.ts'
import { ModuleSqlError, moduleError } from './errors.ts'
import type { ModuleConnection, SessionLimits } from './module-connection.ts'
import { type Prepared, type Step, StepFailure } from './pipeline.ts'
import { createResultCollector, type ResultLimits } from './result-collector.ts'

export type StatementLimits = ResultLimits & SessionLimits

export function command(session: ModuleConnection, text: string): Step {
  return { prepared: session.prepare(text), values: [], maxRows: 0 }
}

/**
 * The statement behind its prelude, in one pipeline. A reading statement is stopped at the first row too many. One with
 * RETURNING has changed its rows before it answers the first: it runs to its end, and the error says that it did.
 * `prelude` is asked for when all is ready to be sent.
 */
export async function runGated(
  session: ModuleConnection,
  prelude: () => Step[],
  { text, values }: { text: string; values: BoundValue[] },
  want: 'rows' | 'count',
  limits: StatementLimits,
): Promise<{ json: string; count: number }> {
  const keep = want === 'rows'
  const prepared = session.prepare(text)
  const stops = keep && !prepared.returning
  const collector = createResultCollector(limits, stops ? session.cancel : () => {})
  const written = haveNoList(values) ? values : await withLists(session, prepared, values, limits)
  const step: Step = { prepared, values: written, maxRows: stops ? limits.maxRows + 1 : 0, ...(keep && collector) }
  const results = await session.run([...prelude(), step], limits).catch((error) => {
    collector.check()
    throw error
  })
  const { tag, suspended } = results.at(-1) ?? { tag: '', suspended: false }
  if (suspended) throw new ModuleSqlError('result_too_large', `a result has at most ${limits.maxRows} rows`)
  return { json: keep ? collector.json(prepared.returning) : '', count: Number(/\d+$/.exec(tag)?.[0] ?? 0) }
}

/** What the parameters are, the server says once for each statement of the session. */
async function withLists(
  session: ModuleConnection,
  prepared: Prepared,
  values: readonly BoundValue[],
  limits: SessionLimits,
): Promise<(string | null)[]> {
  if (prepared.parameterTypes === null) await session.describe(prepared, limits)
  return writeLists(values, prepared.parameterTypes ?? [])
}

/** What the module may learn. A fault of the host's own code is none of its business and stays what it is. */
export function safeError(error: unknown): unknown {
  return error instanceof StepFailure ? moduleError(error.cause) : error
}

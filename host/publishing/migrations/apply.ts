import type { PlannedStatement } from '../../../policy/migrations/plan.ts'
import { moduleError } from '../../module-database/errors.ts'
import { runPipeline, type Step, StepFailure, unnamedStep } from '../../module-database/pipeline.ts'
import type { SchemaKind } from '../../module-database/role-names.ts'
import { type MigrationHead, MigrationImportError, type PlannedMigration } from './migration-types.ts'
import type { OwnerSession } from './owner-session.ts'
import { withoutValues } from './told-words.ts'

export type RunContext = { kind: SchemaKind; release: string; tenantIds: readonly string[] }

/** A step, and the statement of the file that it stands for. */
export type PlannedStep = { step: Step; statement: PlannedStatement | null }

/** One migration in one transaction: its statements, its rows for each tenant, its history. */
export async function applyMigration(
  session: OwnerSession,
  head: MigrationHead,
  plan: PlannedMigration,
  context: RunContext,
): Promise<void> {
  function* steps(): Generator<PlannedStep> {
    yield* migrationSteps(session, plan, context)
    yield* tenantRecords(session, head, plan, context)
    yield recordStep(session, head, plan, context)
  }
  await inOneTransaction(session, steps(), head, context)
}

/** All of the steps or none, slice by slice: most migrations are one round trip. */
export async function inOneTransaction(
  session: OwnerSession,
  steps: Iterable<PlannedStep>,
  head: Pick<MigrationHead, 'file'>,
  context: Pick<RunContext, 'kind'>,
): Promise<void> {
  for (const slice of slicesOf(transaction(steps))) {
    try {
      await runPipeline(
        session.client,
        slice.map(({ step }) => step),
      )
    } catch (error) {
      await session.client.query('rollback').catch(() => {})
      throw importError(error, slice, head, context)
    }
  }
}

function* transaction(steps: Iterable<PlannedStep>): Generator<PlannedStep> {
  yield plainStep('begin')
  yield* steps
  yield plainStep('commit')
}

/** A round trip is next to nothing beside so many statements; half a million messages in one write fail with EINVAL. */
const mostSteps = 2_000
const mostCharacters = 1_000_000

/** A seed for many schools is their number times its statements: what is sent at once has its bounds, and so has memory. */
function* slicesOf(steps: Iterable<PlannedStep>): Generator<PlannedStep[]> {
  let slice: PlannedStep[] = []
  let characters = 0
  for (const planned of steps) {
    slice.push(planned)
    characters += planned.step.prepared.text.length
    if (slice.length < mostSteps && characters < mostCharacters) continue
    yield slice
    slice = []
    characters = 0
  }
  if (slice.length > 0) yield slice
}

export function* migrationSteps(
  session: OwnerSession,
  plan: Pick<PlannedMigration, 'statements'>,
  context: Pick<RunContext, 'tenantIds'>,
): Generator<PlannedStep> {
  for (const statement of plan.statements.filter(isNoGrant)) {
    if (!isData(statement)) yield { step: unnamedStep(statement.sql), statement }
    else
      for (const tenantId of context.tenantIds) {
        yield { step: unnamedStep('select gate.enter($1, $2)', [tenantId, session.gateSecret]), statement: null }
        yield { step: unnamedStep(statement.sql), statement }
      }
  }
}

/** That these tenants have had the migration's data statements; none where it has no such statement. */
export function* tenantRecords(
  session: OwnerSession,
  head: Pick<MigrationHead, 'version'>,
  plan: Pick<PlannedMigration, 'statements'>,
  context: Pick<RunContext, 'tenantIds'>,
): Generator<PlannedStep> {
  if (!plan.statements.some(isData)) return
  for (const tenantId of context.tenantIds) {
    const values = [tenantId, head.version, session.runnerSecret]
    yield { step: unnamedStep('select module_host.record_tenant($1, $2, $3)', values), statement: null }
  }
}

export const isData = ({ class: kind }: PlannedStatement) => kind === 'data'

/** The runtime role has its rights by default privileges, and the third wall lets an owner grant nothing. */
const isNoGrant = (statement: PlannedStatement) => isData(statement) || !/^grant /i.test(statement.sql)

export function recordStep(
  session: OwnerSession,
  head: MigrationHead,
  plan: Pick<PlannedMigration, 'statements'>,
  context: RunContext,
): PlannedStep {
  const data = plan.statements.filter(isData).map(({ sql, line }) => ({ sql, line }))
  const values = [head.version, head.name, head.checksum, context.release, JSON.stringify(data), session.runnerSecret]
  return { step: unnamedStep('select module_host.record($1, $2, $3, $4, $5, $6)', values), statement: null }
}

export const plainStep = (text: string): PlannedStep => ({ step: unnamedStep(text), statement: null })

/**
 * Names the file and the line; of the server's words only what speaks of the module's own objects. A database that is away
 * is no fault of the file's and comes as it is.
 */
export function importError(
  error: unknown,
  steps: readonly PlannedStep[],
  head: Pick<MigrationHead, 'file'>,
  context: Pick<RunContext, 'kind'>,
): Error {
  if (!(error instanceof StepFailure)) return error as Error
  const { code, message } = moduleError(error.cause)
  if (code === 'unavailable') return error.cause
  const line = steps[error.step]?.statement?.line
  const place = { file: head.file, kind: context.kind, ...(line === undefined ? {} : { line }) }
  if (error.cause.code === 'PM001')
    return new MigrationImportError('out_of_order', `${head.file}: ${error.cause.message}`, place)
  // The third wall's own words: table and defect.
  const reason =
    error.cause.code === '42501' && /^(table|schema) /.test(error.cause.message)
      ? error.cause.message
      : context.kind === 'live'
        ? withoutValues(message, error.cause.code)
        : message
  return new MigrationImportError('failed', `${head.file}${line === undefined ? '' : `:${line}`}: ${reason}`, place)
}

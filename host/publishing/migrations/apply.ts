import type { PlannedStatement } from '../../../policy/migrations/plan.ts'
import { moduleError } from '../../module-database/errors.ts'
import { runPipeline, type Step, StepFailure, unnamedStep } from '../../module-database/pipeline.ts'
import type { SchemaKind } from '../../module-database/role-names.ts'
import { type MigrationHead, MigrationImportError, type PlannedMigration } from './migration-types.ts'
import type { OwnerSession } from './owner-session.ts'

export type RunContext = { kind: SchemaKind; release: string; tenantIds: readonly string[] }

/** A step, and the statement of the file that it stands for. */
export type PlannedStep = { step: Step; statement: PlannedStatement | null }

/** One migration in one transaction and one round trip: its statements, its rows for each tenant, its history. */
export async function applyMigration(
  session: OwnerSession,
  head: MigrationHead,
  plan: PlannedMigration,
  context: RunContext,
): Promise<void> {
  const steps = [
    ...migrationSteps(session, plan, context),
    ...tenantRecords(session, head, plan, context),
    recordStep(session, head, plan, context),
  ]
  await inOneTransaction(session, steps, head, context)
}

/** All of the steps or none, in one round trip. */
export async function inOneTransaction(
  session: OwnerSession,
  steps: readonly PlannedStep[],
  head: Pick<MigrationHead, 'file'>,
  context: Pick<RunContext, 'kind'>,
): Promise<void> {
  const all = [plainStep('begin'), ...steps, plainStep('commit')]
  try {
    await runPipeline(
      session.client,
      all.map(({ step }) => step),
    )
  } catch (error) {
    await session.client.query('rollback').catch(() => {})
    throw importError(error, all, head, context)
  }
}

export function migrationSteps(
  session: OwnerSession,
  plan: Pick<PlannedMigration, 'statements'>,
  context: Pick<RunContext, 'tenantIds'>,
): PlannedStep[] {
  return plan.statements.filter(isNoGrant).flatMap((statement) => {
    if (statement.class === 'ddl') return [{ step: unnamedStep(statement.sql), statement }]
    return context.tenantIds.flatMap((tenantId) => [
      { step: unnamedStep('select gate.enter($1, $2)', [tenantId, session.gateSecret]), statement: null },
      { step: unnamedStep(statement.sql), statement },
    ])
  })
}

/** That these tenants have had the migration's data statements; none where it has no such statement. */
export function tenantRecords(
  session: OwnerSession,
  head: Pick<MigrationHead, 'version'>,
  plan: Pick<PlannedMigration, 'statements'>,
  context: Pick<RunContext, 'tenantIds'>,
): PlannedStep[] {
  if (!plan.statements.some(isData)) return []
  return context.tenantIds.map((tenantId) => ({
    step: unnamedStep('select module_host.record_tenant($1, $2, $3)', [tenantId, head.version, session.runnerSecret]),
    statement: null,
  }))
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

/** SQLSTATEs whose words name the schema's objects; of class 42, 601, 602 and 704 also come of rows: a cast to tsquery quotes. */
const namesOnly = /^(23|25|2B|42(?!601|602|704)|44)/
/** From the first quote on, or the first number that is no part of a name and no type's length: `varying(10)`. */
const quoted = /".*/s
const number = /(?<![a-z\d(])-?\d.*/is

/** A partner reads it: where a value does not fit, the server quotes it, and in the live schema it is a school's. */
function withoutValues(message: string, code: string | undefined, { kind }: Pick<RunContext, 'kind'>): string {
  if (kind !== 'live' || namesOnly.test(code ?? '')) return message
  return message.replace(number, '…').replace(quoted, '"…"')
}

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
      : withoutValues(message, error.cause.code, context)
  return new MigrationImportError('failed', `${head.file}${line === undefined ? '' : `:${line}`}: ${reason}`, place)
}

import { runPipeline, type Step, StepFailure } from '../../module-database/pipeline.ts'
import { moduleError } from '../../module-database/errors.ts'
import type { PlannedStatement } from '../../../policy/migrations/plan.ts'
import { type MigrationHead, MigrationImportError, type PlannedMigration } from './migration-types.ts'
import type { OwnerSession } from './owner-session.ts'
import type { SchemaKind } from '../../module-database/role-names.ts'

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
    plainStep('begin'),
    ...migrationSteps(session, plan, context),
    recordStep(session, head, context),
    plainStep('commit'),
  ]
  try {
    await runPipeline(
      session.client,
      steps.map(({ step }) => step),
    )
  } catch (error) {
    await session.client.query('rollback').catch(() => {})
    throw importError(error, steps, head, context)
  }
}

export function migrationSteps(session: OwnerSession, plan: PlannedMigration, context: RunContext): PlannedStep[] {
  return plan.statements.filter(isNoGrant).flatMap((statement) => {
    if (statement.class === 'ddl') return [{ step: unnamed(statement.sql), statement }]
    return context.tenantIds.flatMap((tenantId) => [
      { step: unnamed('select gate.enter($1, $2)', [tenantId, session.gateSecret]), statement: null },
      { step: unnamed(statement.sql), statement },
    ])
  })
}

/** The runtime role has its rights by default privileges, and the third wall lets an owner grant nothing. */
const isNoGrant = ({ sql, class: kind }: PlannedStatement) => kind === 'data' || !/^grant /i.test(sql)

export function recordStep(session: OwnerSession, head: MigrationHead, context: RunContext): PlannedStep {
  const values = [head.version, head.name, head.checksum, context.release, session.runnerSecret]
  return { step: unnamed('select module_host.record($1, $2, $3, $4, $5)', values), statement: null }
}

export const plainStep = (text: string): PlannedStep => ({ step: unnamed(text), statement: null })

function unnamed(text: string, values: string[] = []): Step {
  return { prepared: { name: '', text, columns: null, ready: false, returning: false }, values, maxRows: 0 }
}

/** Names the file and the line; of the server's words only what speaks of the module's own objects. */
export function importError(
  error: unknown,
  steps: readonly PlannedStep[],
  head: MigrationHead,
  context: RunContext,
): Error {
  if (!(error instanceof StepFailure)) return error as Error
  const line = steps[error.step]?.statement?.line
  const place = { file: head.file, kind: context.kind, ...(line === undefined ? {} : { line }) }
  if (error.cause.code === 'PM001')
    return new MigrationImportError('out_of_order', `${head.file}: ${error.cause.message}`, place)
  // The third wall's own words: table and defect.
  const reason =
    error.cause.code === '42501' && /^(table|schema) /.test(error.cause.message)
      ? error.cause.message
      : moduleError(error.cause).message
  return new MigrationImportError('failed', `${head.file}${line === undefined ? '' : `:${line}`}: ${reason}`, place)
}

/** `partner migrations check <dir>`: what an import of the folder into an empty schema would do. */
import { printableEntry } from '../printable.ts'
import { createNames } from '../sql/names-in-use.ts'
import type { MigrationFinding } from './finding.ts'
import { hasErrors } from './finding.ts'
import type { SkippedFile } from './folder.ts'
import { readMigrationFolder } from './folder.ts'
import type { ModuleSchema } from './module-schema.ts'
import type { MigrationPlan, PlanOptions } from './plan.ts'
import { planMigration } from './plan.ts'

export type MigrationsCheck = {
  /** 0 would import, 1 has errors. */
  readonly exitCode: 0 | 1
  readonly plans: readonly MigrationPlan[]
  readonly skipped: readonly SkippedFile[]
  /** Of the folder and of every plan, in file order. */
  readonly findings: readonly MigrationFinding[]
}

/**
 * Plans every migration of the folder in order. `options.knownTables` are the tables of the released version: only what
 * happens to those can break an installation, so a table made and dropped within the folder's new files is no danger.
 */
export async function checkMigrations(directory: string, options: PlanOptions): Promise<MigrationsCheck> {
  const folder = await readMigrationFolder(directory)
  const unread = new Set(folder.findings.map(({ file }) => file))
  const plans: MigrationPlan[] = []
  // Known as long as every file before could be planned: the folder makes the module's schema from nothing.
  let columns: ModuleSchema | undefined = folder.findings.length === 0 ? (options.columns ?? new Map()) : undefined
  const coreReferences = [...(options.coreReferences ?? [])]
  const names = options.names ?? createNames()
  for (const migration of folder.migrations) {
    if (unread.has(migration.file)) continue
    const plan = await planMigration(migration, { ...options, columns, coreReferences, names })
    columns = plan.columns
    coreReferences.push(...plan.coreReferences)
    plans.push(plan)
  }
  const findings = [...folder.findings, ...plans.flatMap((plan) => plan.findings)]
  return { exitCode: hasErrors(findings) ? 1 : 0, plans, skipped: folder.skipped, findings }
}

/** The check as text, one line a fact. */
export function describeCheck(check: MigrationsCheck): string {
  const lines = [
    ...check.skipped.map(({ file, reason }) => `${file}: skipped (${skipReasons[reason]})`),
    ...check.plans.flatMap((plan) => [
      `${plan.file}: ${plan.statements.length} statements${plan.ok ? '' : ', refused'}`,
      ...plan.statements.map(
        ({ sql, line, class: kind }) => `  ${line}: ${kind === 'data' ? '[each tenant] ' : ''}${sql}`,
      ),
      ...plan.coreReferences.map(({ table, column, references }) => `  ${table}.${column} → ${references}`),
    ]),
    ...check.findings.map(
      ({ file, line, severity, rule, reason, mend }) =>
        `${file}:${line} ${severity} ${rule}: ${reason}${mend ? ` — ${mend}` : ''}`,
    ),
  ]
  return `${lines.map(printableEntry).join('\n')}\n`
}

const skipReasons: Readonly<Record<SkippedFile['reason'], string>> = {
  name: 'not YYYY_MM_DD_HHMMSS_<name>.sql or .php',
  base: 'the base file is the platform’s own',
  not_a_file: 'no plain file',
}

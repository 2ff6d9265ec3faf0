/**
 * What one migration file would run: read (SQL or Laravel's PHP), guarded, labelled, linted and put into its tenant form.
 * Pure: no database, no file. The importer runs `statements` in order, in one transaction, as the module's owner.
 */
import type { Fields } from '../sql/ast.ts'
import { parseAllowed } from '../sql/emit.ts'
import type { AllowedStatement } from '../sql/guard.ts'
import { checkSql, loadGuard } from '../sql/guard.ts'
import { createNames, type NamesInUse } from '../sql/names-in-use.ts'
import { RewriteRefused, type RewriteOptions, rewriteMigrationStatement } from '../sql/rewrite.ts'
import type { CoreReference } from './core-references.ts'
import { readCoreReferences } from './core-references.ts'
import { lintDangers } from './dangers.ts'
import type { MigrationFinding } from './finding.ts'
import { hasErrors } from './finding.ts'
import type { MigrationFile } from './folder.ts'
import type { ModuleSchema } from './module-schema.ts'
import { applyToSchema, copySchema } from './module-schema.ts'
import { readPhpMigration } from './php/read.ts'
import type { MigrationSource, SourceStatement } from './source.ts'

export type PlanOptions = {
  /** The schema as the module's texts name it, `m_<slug>`. */
  readonly schema: string
  /** Where the plan will run; default `schema`, `s_<slug>` for the sandbox. The owner's search_path leads there. */
  readonly runSchema?: string
  readonly runtimeRole: string
  /** Names that `core_reference:<table>` may give. */
  readonly coreTables: ReadonlySet<string>
  /** The module's tables before this migration: what it does to them can break the version still installed. */
  readonly knownTables?: ReadonlySet<string>
  /** All that earlier migrations made; without it a PHP condition such as `Schema::hasColumn` is refused. */
  readonly columns?: ModuleSchema | undefined
  /** Of the indexes and constraints that earlier migrations made: an unnamed one gets another. The plan notes its own. */
  readonly names?: NamesInUse
  /** Whether a version that runs somewhere uses a table or column; default: everything known is in use. */
  readonly inUse?: (table: string, column?: string) => boolean
  /** Whether a column of a known table takes NULL; default: it does. `change()` in PHP says NOT NULL anew each time. */
  readonly nullable?: (table: string, column: string) => boolean
  /** It has run before, and was judged when it was new: rules of today do not ask for labels that it did not need. */
  readonly applied?: boolean
  /** The labels that earlier migrations gave. */
  readonly coreReferences?: readonly CoreReference[]
}

export type PlannedStatement = {
  readonly sql: string
  /** Of the file. */
  readonly line: number
  /** `data` changes rows: the importer runs it once for each tenant, through the gate. `ddl` runs once. */
  readonly class: 'ddl' | 'data'
}

export type MigrationPlan = {
  readonly file: string
  readonly version: string
  /** Nothing may run unless `ok`: no finding is an error. */
  readonly ok: boolean
  readonly statements: readonly PlannedStatement[]
  readonly findings: readonly MigrationFinding[]
  readonly coreReferences: readonly CoreReference[]
  /** The tables that exist after it: `knownTables` for the next migration of the run. */
  readonly tables: ReadonlySet<string>
  /** `options.columns` for the next migration of the run; undefined when it was not given or this plan is not ok. */
  readonly columns?: ModuleSchema
  /** What `down` of a PHP migration says, in tenant form, for the review; never run by an import. */
  readonly reverse?: readonly string[]
}

export async function planMigration(migration: MigrationFile, options: PlanOptions): Promise<MigrationPlan> {
  await loadGuard()
  const { file, version } = migration
  const source =
    migration.kind === 'php' ? readPhpMigration(migration.text, file, options.columns) : readSql(migration.text)
  const findings = [...source.findings]
  const statements = source.up.flatMap((part) => guarded(part, file, options, findings))
  const trees = statements.map(({ tree }) => tree)
  const known = options.knownTables ?? new Set<string>()
  const { references, complaints } = readCoreReferences(trees, options.coreTables, options.coreReferences, known)
  for (const { statement, reason, mend } of options.applied ? [] : complaints) {
    const line = statements[statement]?.line ?? 1
    findings.push({ rule: 'core-reference', severity: 'error', file, line, reason, mend })
  }
  const { dangers, tables } = lintDangers(trees, known, options)
  for (const { statement, ...danger } of dangers)
    findings.push({ ...danger, file, line: statements[statement]?.line ?? 1 })
  const columns = options.columns && columnsAfter(options.columns, trees)
  const names = options.names ?? createNames()
  const planned = rewrittenAll(statements, file, { ...options, names }, findings)
  const ok = !hasErrors(findings)
  return {
    file,
    version,
    ok,
    statements: planned,
    findings: findings.toSorted((a, b) => a.line - b.line),
    coreReferences: references,
    tables,
    ...(ok && columns && { columns }),
    ...(source.down && { reverse: reversed(source.down, file, options) }),
  }
}

function columnsAfter(before: ModuleSchema, trees: readonly Fields[]): ModuleSchema {
  const after = copySchema(before)
  for (const tree of trees) applyToSchema(after, tree)
  return after
}

type Guarded = AllowedStatement & { readonly tree: Fields }

function readSql(text: string): MigrationSource {
  return { up: [{ sql: text, line: 1 }], findings: [] }
}

function guarded(part: SourceStatement, file: string, options: PlanOptions, findings: MigrationFinding[]): Guarded[] {
  const checked = checkSql(part.sql, { profile: 'migration', schema: options.schema })
  if (!checked.ok) {
    for (const { index: _, line, ...refusal } of checked.refusals) {
      findings.push({ ...refusal, severity: 'error', file, line: part.line + line - 1 })
    }
  }
  return checked.statements.map((statement) => ({
    ...statement,
    line: part.line + statement.line - 1,
    tree: parseAllowed(statement.text),
  }))
}

/** The statements of one file, in their order. Their trees are used up. */
function rewrittenAll(
  statements: readonly Guarded[],
  file: string,
  options: RewriteOptions,
  findings: MigrationFinding[],
): PlannedStatement[] {
  return statements.flatMap((statement) => rewritten(statement, file, options, findings))
}

function rewritten(
  statement: Guarded,
  file: string,
  options: RewriteOptions,
  findings: MigrationFinding[],
): PlannedStatement[] {
  try {
    const texts = rewriteMigrationStatement(statement, options)
    return texts.map((sql) => ({ sql, line: statement.line, class: statement.class }))
  } catch (error) {
    if (!(error instanceof RewriteRefused)) throw error
    findings.push({ rule: error.rule, severity: 'error', file, line: statement.line, reason: error.message })
    return []
  }
}

/** A reverse plan that does not hold is left out statement by statement: it is information, never run by an import. */
function reversed(parts: readonly SourceStatement[], file: string, options: PlanOptions): string[] {
  const ignored: MigrationFinding[] = []
  const statements = parts.flatMap((part) => guarded(part, file, options, ignored))
  return rewrittenAll(statements, file, { ...options, names: createNames() }, ignored).map(({ sql }) => sql)
}

import type pg from 'pg'
import type { MigrationFinding } from '../../../policy/migrations/finding.ts'
import type { KnownSchema } from '../../../policy/migrations/known-schema.ts'
import type { MigrationFile } from '../../../policy/migrations/folder.ts'
import type { MigrationPlan } from '../../../policy/migrations/plan.ts'
import type { RoleSecrets } from '../../module-database/provision.ts'
import type { SchemaKind } from '../../module-database/role-names.ts'

/** What the importer must know of a file: the rest is the planner's. */
export type MigrationHead = Pick<MigrationFile, 'version' | 'name' | 'file' | 'checksum'>

/** What a file would run in one schema: guarded, labelled and in its tenant form. */
export type PlannedMigration = Pick<MigrationPlan, 'ok' | 'statements' | 'findings' | 'reverse'>

export type PlanTarget = {
  /** The schema as the module's texts name it. */
  readonly schema: string
  readonly runSchema: string
  readonly runtimeRole: string
  /** Those that installed versions may use: what happens to others, made by the same run, breaks nobody. */
  readonly knownTables: ReadonlySet<string>
  /** The files have run before, in another schema: they were judged when they were new. */
  readonly applied?: boolean
  /** What the schema holds before the run. Every file of one run gets the same object. */
  readonly known: KnownSchema
}

/**
 * Reads, guards and rewrites one file; the importer never sees what a file says otherwise. The files of a run come in
 * their order.
 */
export type MigrationPlanner<File extends MigrationHead> = (file: File, target: PlanTarget) => Promise<PlannedMigration>

/** The server and the credential that makes roles. The publisher alone holds it. */
export type ImportTarget = RoleSecrets & {
  slug: string
  suffix: string
  superuser: pg.ClientConfig & { database: string }
}

export type AppliedMigration = { file: string; version: string; kind: SchemaKind; milliseconds: number }

/**
 * Why an import stopped. `out_of_order` and `changed` and `refused` are found before anything runs, in either schema;
 * `failed` leaves what was applied before the failing migration, and nothing of that one.
 */
export class MigrationImportError extends Error {
  override name = 'MigrationImportError'
  readonly code: 'out_of_order' | 'changed' | 'refused' | 'failed'
  readonly file: string
  readonly line: number | undefined
  readonly findings: readonly MigrationFinding[]
  readonly kind: SchemaKind

  constructor(
    code: MigrationImportError['code'],
    message: string,
    place: { file: string; kind: SchemaKind; line?: number; findings?: readonly MigrationFinding[] },
  ) {
    super(message)
    this.code = code
    this.file = place.file
    this.line = place.line
    this.kind = place.kind
    this.findings = place.findings ?? []
  }
}

import type pg from 'pg'
import type { RoleSecrets } from '../../module-database/provision.ts'
import type { SchemaKind } from '../../module-database/role-names.ts'

/** A migration file as it lies in the module's folder. */
export type MigrationHead = {
  /** `YYYY_MM_DD_HHMMSS`: orders execution and recognises a migration imported before. */
  readonly version: string
  readonly name: string
  readonly file: string
  /** sha256 of the file's bytes, hexadecimal. */
  readonly checksum: string
}

export type PlannedStatement = {
  readonly sql: string
  /** Of the file. */
  readonly line: number
  /** `ddl` runs once, `data` once for each tenant through the gate. */
  readonly class: 'ddl' | 'data'
}

export type MigrationFinding = {
  readonly rule: string
  readonly severity: 'error' | 'warning'
  readonly file: string
  readonly line: number
  readonly reason: string
  readonly mend?: string
}

/** What a file would run in one schema: guarded, labelled and in its tenant form. */
export type PlannedMigration = {
  readonly ok: boolean
  readonly statements: readonly PlannedStatement[]
  readonly findings: readonly MigrationFinding[]
  /** The tables after it. */
  readonly tables: ReadonlySet<string>
  readonly reverse?: readonly string[]
}

export type PlanTarget = {
  /** The schema as the module's texts name it. */
  readonly schema: string
  readonly runSchema: string
  readonly runtimeRole: string
  readonly knownTables: ReadonlySet<string>
}

/** Reads, guards and rewrites one file. Pure; the importer never sees what a file says otherwise. */
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

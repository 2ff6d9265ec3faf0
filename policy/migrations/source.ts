import type { MigrationFinding } from './finding.ts'

/** SQL as a migration file says it, with the line of the file on which it begins. */
export type SourceStatement = { readonly sql: string; readonly line: number }

/** What a migration file says to run. Any error among the findings: the lists are not whole. */
export type MigrationSource = {
  readonly up: readonly SourceStatement[]
  readonly down?: readonly SourceStatement[]
  readonly findings: readonly MigrationFinding[]
}

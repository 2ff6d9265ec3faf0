/**
 * Something a partner must or should change. An error stops the import of the whole run; a warning goes to the review.
 * `rule` is stable, `mend` says what to write instead.
 */
export type MigrationFinding = {
  readonly rule: string
  readonly severity: 'error' | 'warning'
  readonly file: string
  /** From 1. */
  readonly line: number
  readonly reason: string
  readonly mend?: string
}

export function hasErrors(findings: readonly MigrationFinding[]): boolean {
  return findings.some(({ severity }) => severity === 'error')
}

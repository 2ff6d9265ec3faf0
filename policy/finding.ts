export type Severity = 'error' | 'warning'

/** One verdict of the scan. Lines and columns start at 1; `fix` says in words what would mend it. */
export type Finding = {
  readonly rule: string
  readonly severity: Severity
  readonly file: string
  readonly line: number
  readonly column: number
  readonly message: string
  readonly fix?: string
}

/** Where a module uses a scope. */
export type ScopeUse = {
  readonly scope: string
  readonly operation: string
  readonly file: string
  readonly line: number
}

export type ScopeReport = {
  readonly used: readonly { scope: string; uses: readonly Omit<ScopeUse, 'scope'>[] }[]
  readonly declared: readonly string[]
  readonly unused: readonly string[]
  readonly undeclared: readonly string[]
}

export type ScanReport = {
  readonly findings: readonly Finding[]
  readonly scopes: ScopeReport
  readonly files: number
  readonly ms: number
}

/** Stable order: by file, then line, then column, then rule. */
export function sortFindings(findings: readonly Finding[]): Finding[] {
  return [...findings].sort(
    (a, b) =>
      compare(a.file, b.file) ||
      a.line - b.line ||
      a.column - b.column ||
      compare(a.rule, b.rule) ||
      compare(a.message, b.message),
  )
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

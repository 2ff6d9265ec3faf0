/** `partner sql-check`: the guard's verdict on any SQL text, one entry a statement. */
import type { GuardResult, Profile } from './guard.ts'
import { checkSql, loadGuard } from './guard.ts'

export type SqlVerdict = {
  /** Where a report is of several files. */
  readonly file?: string
  readonly index: number
  readonly line: number
  readonly verdict: 'allowed' | 'refused'
  readonly rule?: string
  readonly reason?: string
  readonly mend?: string
}

/** `exitCode`: 0 all allowed, 1 something refused, 2 not parsable. `report` is what `--json` prints. */
export type SqlCheckOutcome = { readonly exitCode: 0 | 1 | 2; readonly report: { readonly statements: SqlVerdict[] } }

const unreadable = new Set(['syntax', 'parser_crash', 'nul', 'utf16', 'input', 'size'])

export async function sqlCheck(text: string, options: { profile: Profile; schema: string }): Promise<SqlCheckOutcome> {
  await loadGuard()
  return outcomeOf(checkSql(text, options))
}

/** Several files as one report: the worst exit code, all statements in order. */
export function joinOutcomes(outcomes: readonly SqlCheckOutcome[]): SqlCheckOutcome {
  const exitCode = outcomes.reduce<0 | 1 | 2>((worst, { exitCode: code }) => (code > worst ? code : worst), 0)
  return { exitCode, report: { statements: outcomes.flatMap(({ report }) => report.statements) } }
}

/** The same, each verdict with the name of its file. */
export function ofFile({ exitCode, report }: SqlCheckOutcome, file: string): SqlCheckOutcome {
  return { exitCode, report: { statements: report.statements.map((verdict) => ({ ...verdict, file })) } }
}

function outcomeOf(result: GuardResult): SqlCheckOutcome {
  const allowed = result.statements.map(({ index, line }): SqlVerdict => ({ index, line, verdict: 'allowed' }))
  if (result.ok) return { exitCode: 0, report: { statements: allowed } }
  const refused = result.refusals.map((refusal): SqlVerdict => ({ ...refusal, verdict: 'refused' }))
  const statements = [...allowed, ...refused].toSorted((a, b) => a.index - b.index)
  return { exitCode: unreadable.has(result.refusal.rule) ? 2 : 1, report: { statements } }
}

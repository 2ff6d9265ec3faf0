import type { StatementTag } from './guard-context.ts'

/** A statement that passed, in the text as it was written. `data` statements of a migration run once for each tenant. */
export type AllowedStatement = {
  /** From 0, in the order of the text. */
  readonly index: number
  /** The line of the statement's first word, from 1. */
  readonly line: number
  /** The grammar's name of the statement: `SelectStmt`, `CreateStmt`, … */
  readonly top: string
  readonly class: 'ddl' | 'data'
  readonly tags: readonly StatementTag[]
  /** Without the closing semicolon and the blanks around it. */
  readonly text: string
}

/** Why one statement, or (index 0) the whole text, was refused. `rule` is stable; `syntax` means it did not parse. */
export type Refusal = {
  readonly index: number
  readonly line: number
  readonly rule: string
  readonly reason: string
  readonly mend?: string
}

export type GuardResult =
  | { readonly ok: true; readonly statements: readonly AllowedStatement[] }
  | {
      readonly ok: false
      /** The first of `refusals`, for a caller that reports one. */
      readonly refusal: Refusal
      readonly refusals: readonly Refusal[]
      /** The statements that would have passed; nothing of the text may run. */
      readonly statements: readonly AllowedStatement[]
    }

export function refusedWhole(rule: string, reason: string, line = 1): GuardResult {
  const refusal: Refusal = { index: 0, line, rule, reason }
  return { ok: false, refusal, refusals: [refusal], statements: [] }
}

import type { Node } from 'libpg-query'
import { deparseSync } from 'pgsql-deparser'
import type { Fields } from './ast.ts'
import { parseSql } from './parse.ts'
import { isSameTree } from './same-tree.ts'

/** A statement that passed the guard but cannot be put into its tenant form. `reason` is for the partner. */
export class RewriteRefused extends Error {
  readonly rule = 'rewrite'

  constructor(reason: string) {
    super(reason)
    this.name = 'RewriteRefused'
  }
}

/**
 * The statement as SQL. The deparser loses or bends a few rare constructs, so its text is parsed again and must give
 * the same tree; otherwise the statement is refused rather than run as something else.
 */
export function emitStatement(statement: Fields): string {
  let text: string
  try {
    text = deparseSync(statement as unknown as Node, { pretty: false })
  } catch {
    throw new RewriteRefused('the statement uses a form that cannot be rewritten: write it more simply')
  }
  if (!readsAs(text, statement)) {
    throw new RewriteRefused('the statement does not survive rewriting unchanged: write it more simply')
  }
  return text
}

/** Whether the text is exactly this one statement. */
export function readsAs(text: string, statement: Fields): boolean {
  const parsed = parseSql(text)
  if (!parsed.ok || parsed.statements.length !== 1) return false
  return isSameTree(parsed.statements[0]?.stmt, statement)
}

/** The tree of a text that the guard has passed. */
export function parseAllowed(text: string): Fields {
  const parsed = parseSql(text)
  const [only, second] = parsed.ok ? parsed.statements : []
  if (!only || second) throw new RewriteRefused('exactly one statement was expected')
  return only.stmt
}

export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

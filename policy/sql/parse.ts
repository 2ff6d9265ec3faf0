import { loadModule, parseSync } from 'libpg-query'
import type { Fields } from './ast.ts'

/** One statement of a text as the parser found it: `location` and `length` count bytes, and `length` may be absent. */
export type RawStatement = { stmt: Fields; location: number; length: number | undefined }

export type ParseOutcome =
  | { ok: true; statements: RawStatement[] }
  /** `crash`: the parser itself failed (a very deep text); it may be unusable in this thread from then on. */
  | { ok: false; kind: 'syntax' | 'crash'; message: string; position: number }

/** Loads PostgreSQL's parser into this thread (about 6 ms, once). */
export async function loadParser(): Promise<void> {
  await loadModule()
}

type RawTree = { stmts?: { stmt: Fields; stmt_location?: number; stmt_len?: number }[] }

export function parseSql(text: string): ParseOutcome {
  if (text.trim() === '') return { ok: true, statements: [] } // the parser takes it for an error of its own
  try {
    const tree = parseSync(text) as unknown as RawTree
    const statements = (tree.stmts ?? []).map((raw) => ({
      stmt: raw.stmt,
      location: raw.stmt_location ?? 0,
      length: raw.stmt_len || undefined,
    }))
    return { ok: true, statements }
  } catch (error) {
    return outcomeOf(error)
  }
}

function outcomeOf(error: unknown): ParseOutcome {
  const known = error instanceof Error ? error : new Error(String(error))
  const details = (known as Error & { sqlDetails?: { cursorPosition?: number } }).sqlDetails
  if (known.name !== 'SqlError') {
    return { ok: false, kind: 'crash', message: 'the parser gave up on this text', position: 0 }
  }
  return { ok: false, kind: 'syntax', message: known.message.slice(0, 200), position: details?.cursorPosition ?? 0 }
}

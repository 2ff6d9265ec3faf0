import type { ServerError } from './errors.ts'
import type { Prepared } from './pipeline.ts'

/** The statements that one session has prepared, by their text. */
export type PreparedStatements = {
  prepare(text: string): Prepared
  /** Prepares it anew, under another name, when it is asked for again. */
  forget(prepared: Prepared): void
  forgetAll(): void
  /** Names that the server may forget, each told once. */
  takeForgotten(): string[]
}

/** Each prepared statement with row-level security costs a backend some 250 kB. */
const mostStatements = 64

export function createPreparedStatements(): PreparedStatements {
  const statements = new Map<string, Prepared>()
  let forgotten: string[] = []
  let counter = 0

  function forget(prepared: Prepared): void {
    statements.delete(prepared.text)
    forgotten.push(prepared.name)
  }

  return {
    prepare(text) {
      const known = statements.get(text)
      // The one that was not used for longest is forgotten: never one of the pipeline that is being put together.
      if (known === undefined && statements.size >= mostStatements) forget(statements.values().next().value!)
      const prepared = known ?? {
        name: `s${counter++}`,
        text,
        columns: null,
        parameterTypes: null,
        ready: false,
        returning: /\breturning\b/i.test(text) || changesWithin(text),
      }
      statements.delete(text)
      statements.set(text, prepared)
      return prepared
    },
    forget,
    forgetAll() {
      for (const known of statements.values()) forget(known)
    },
    takeForgotten() {
      const names = forgotten
      forgotten = []
      return names
    },
  }
}

/** A query that changes rows in its WITH has changed them all before it answers the first row, with RETURNING or without. */
const changesWithin = (text: string) => /\bwith\b/i.test(text) && changeWords.test(text)
/** A comment may stand between two words. */
const changeWords = /\b(insert|delete|merge)(\s+(into|from)\b|\s*(\/\*|--))|(?<!\bfor\s+(no\s+key\s+)?)\bupdate\b/i

/** A migration changed what a prepared statement answers, or a pooler in between lost the statement. */
export function isStale(error: ServerError): boolean {
  return error.code === '26000' || (error.code === '0A000' && error.routine === 'RevalidateCachedQuery')
}

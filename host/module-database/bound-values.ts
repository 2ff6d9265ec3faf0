import { ModuleSqlError } from './errors.ts'

/** `values` are what JSON can carry: they come from a guest. */
export type Statement = { text: string; values?: readonly unknown[] }

const mostValues = 1_000

/** Values in PostgreSQL's text form: an array becomes an array of the server, another object its JSON. */
export function bindValues(values: readonly unknown[] = []): (string | null)[] {
  if (values.length > mostValues)
    throw new ModuleSqlError(
      'sql_refused',
      `a statement has at most ${mostValues} bound values: a list is one, for = any (…)`,
    )
  return values.map(bindValue)
}

function bindValue(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'string') return value
  if (typeof value === 'object') return Array.isArray(value) ? arrayLiteral(value, 0) : JSON.stringify(value)
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  throw new ModuleSqlError('sql_refused', `a ${typeof value} cannot be bound to a statement`)
}

function arrayLiteral(values: readonly unknown[], depth: number): string {
  // PostgreSQL's own limit.
  if (depth === 6) throw new ModuleSqlError('sql_refused', 'an array of more than six dimensions')
  const items = values.map((value) => {
    if (Array.isArray(value)) return arrayLiteral(value, depth + 1)
    const text = bindValue(value)
    return text === null ? 'NULL' : `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
  })
  return `{${items.join(',')}}`
}

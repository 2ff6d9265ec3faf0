import { fieldsOf, listOf, stringsOf } from './ast.ts'
import type { Fields } from './ast.ts'

/** The columns that an index stands on: its elements' own, and those in their expressions and in its condition. */
export function indexColumns({ indexParams, indexIncludingParams, whereClause }: Fields): string[] {
  const columns = new Set<string>()
  const elements = [...listOf(indexParams), ...listOf(indexIncludingParams)]
  for (const element of elements) {
    const { name, expr } = fieldsOf(element, 'IndexElem') ?? {}
    if (typeof name === 'string') columns.add(name)
    collect(expr, columns)
  }
  collect(whereClause, columns)
  return [...columns]
}

function collect(value: unknown, columns: Set<string>): void {
  if (typeof value !== 'object' || value === null) return
  const column = stringsOf(fieldsOf(value, 'ColumnRef')?.fields).at(-1)
  if (column !== undefined) columns.add(column)
  else for (const inner of Object.values(value)) collect(inner, columns)
}

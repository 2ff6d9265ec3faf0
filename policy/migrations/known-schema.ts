/**
 * What a module's schema holds before a migration, as the database says it. It equals what `replayMigrations` finds in
 * the texts of the migrations that made it, and plain values reach a planner in another process.
 */
import { createNames, type NamedObject } from '../sql/names-in-use.ts'
import type { CoreReference } from './core-references.ts'
import type { ModuleSchema } from './module-schema.ts'
import type { PlanOptions } from './plan.ts'

export type KnownColumn = {
  readonly table: string
  /** Null for a table without columns of its own. */
  readonly column: string | null
  readonly nullable: boolean
  /** Whether code of a version that runs somewhere names the table; by default it does. */
  readonly tableNamed?: boolean
  /** The same of the column. */
  readonly columnNamed?: boolean
  /** The platform table of its `core_reference` label. */
  readonly references: string | null
}

export type KnownSchema = {
  readonly columns: readonly KnownColumn[]
  /** Of its indexes and constraints. */
  readonly names: readonly NamedObject[]
}

/** A new one each time: the runs of a planner are told apart by theirs. */
export const emptySchema = (): KnownSchema => ({ columns: [], names: [] })

/** The options of a plan that follow from it. */
export function planOptionsOf(
  known: KnownSchema,
): Required<Pick<PlanOptions, 'columns' | 'coreReferences' | 'names' | 'nullable' | 'inUse'>> {
  const columns = new Map<string, Set<string>>()
  const coreReferences: CoreReference[] = []
  const filled = new Set<string>()
  const unused = new Set<string>()
  for (const { table, column, nullable, references, tableNamed = true, columnNamed = true } of known.columns) {
    if (!tableNamed) unused.add(table)
    if (!tableNamed || !columnNamed) unused.add(`${table}.${column}`)
    const names = columns.get(table) ?? new Set()
    columns.set(table, names)
    if (column === null) continue
    names.add(column)
    if (references !== null) coreReferences.push({ table, column, references })
    if (!nullable) filled.add(`${table}.${column}`)
  }
  const schema: ModuleSchema = columns
  return {
    columns: schema,
    coreReferences,
    names: createNames(known.names),
    nullable: (table, column) => !filled.has(`${table}.${column}`),
    inUse: (table, column) => !unused.has(column === undefined ? table : `${table}.${column}`),
  }
}

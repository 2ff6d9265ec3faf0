/** What a Blueprint holds once its calls have been read, before it becomes SQL. */
import type { PhpValue, RawSql } from './values.ts'

export type IndexType = 'primary' | 'unique' | 'index' | 'fulltext' | 'spatialindex'

export type Column = {
  readonly kind: 'column'
  readonly line: number
  readonly name: string
  /** SQL, for instance `varchar(255)`. */
  readonly type: string
  /** The type when the column counts up, for instance `bigserial`; undefined where Laravel ignores autoIncrement. */
  readonly serial: string | undefined
  /** What `useCurrent()` makes the default, where the type has one. */
  readonly current: string | undefined
  /** The values of an enum. */
  readonly allowed: readonly string[] | undefined
  autoIncrement: boolean
  nullable: boolean
  change: boolean
  useCurrent: boolean
  always: boolean
  default?: PhpValue
  comment?: string
  collation?: string
  storedAs?: string
  virtualAs?: string
  generatedAs?: string
  using?: string
  /** Indexes asked for on the column; `true` names them by convention, `false` with change() drops them. */
  readonly indexes: Map<IndexType, string | boolean>
}

export type ForeignKey = {
  readonly kind: 'foreign'
  readonly line: number
  readonly name: string
  readonly columns: readonly string[]
  references?: readonly string[]
  on?: string
  onDelete?: string
  onUpdate?: string
  deferrable?: boolean
  initiallyImmediate?: boolean
  notValid?: boolean
}

export type Index = {
  readonly kind: 'index'
  readonly line: number
  readonly type: IndexType
  readonly name: string
  readonly columns: readonly (string | RawSql)[]
  algorithm?: string
  language?: string
  nullsNotDistinct?: boolean
  deferrable?: boolean
  initiallyImmediate?: boolean
}

/** Anything that is one statement by itself. */
export type PlainCommand = { readonly kind: 'plain'; readonly line: number; readonly sql: string }

export type Command = Column | ForeignKey | Index | PlainCommand

export type Blueprint = {
  readonly table: string
  readonly creating: boolean
  readonly line: number
  /** In the order of the calls; in a new table the columns are in the CREATE TABLE itself. */
  readonly commands: Command[]
}

export function columnsOf(blueprint: Blueprint): Column[] {
  return blueprint.commands.filter((command) => command.kind === 'column')
}

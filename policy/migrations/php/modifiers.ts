/** The calls that may follow a column: `->nullable()->default('x')->unique()`. */
import { bindArguments } from './arguments.ts'
import type { Column, IndexType } from './model.ts'
import type { ChainLink } from './nodes.ts'
import { refusePhp } from './nodes.ts'
import type { Scope } from './values.ts'
import { isRaw, toText } from './values.ts'

type Modifier = (column: Column, link: ChainLink, scope: Scope) => void

function flag(apply: (column: Column, value: boolean) => void): Modifier {
  return (column, link, scope) => {
    apply(column, bindArguments(link.node, link.arguments, ['value'], scope).flag('value', true))
  }
}

function text(parameter: string, apply: (column: Column, value: string) => void): Modifier {
  return (column, link, scope) => {
    const value = bindArguments(link.node, link.arguments, [parameter], scope).value(parameter)
    apply(column, isRaw(value) ? value.sql : toText(value ?? null, link.node))
  }
}

function index(type: IndexType): Modifier {
  return (column, link, scope) => {
    const given = bindArguments(link.node, link.arguments, ['indexName'], scope)
    const value = given.value('indexName')
    column.indexes.set(type, typeof value === 'boolean' ? value : (given.text('indexName') ?? true))
  }
}

/** MySQL's alone: Laravel's PostgreSQL grammar leaves them out. */
const ignored: Modifier = () => {}

export const modifiers: Readonly<Record<string, Modifier>> = {
  nullable: flag((column, value) => {
    column.nullable = value
  }),
  default(column, link, scope) {
    const value = bindArguments(link.node, link.arguments, ['value'], scope).value('value')
    if (value !== undefined) column.default = value
  },
  comment: text('comment', (column, value) => {
    column.comment = value
  }),
  collation: text('collation', (column, value) => {
    column.collation = value
  }),
  storedAs: text('expression', (column, value) => {
    column.storedAs = value
  }),
  virtualAs: text('expression', (column, value) => {
    column.virtualAs = value
  }),
  using: text('expression', (column, value) => {
    column.using = value
  }),
  generatedAs(column, link, scope) {
    const value = bindArguments(link.node, link.arguments, ['expression'], scope).value('expression')
    if (isRaw(value) || (typeof value === 'object' && value !== null))
      refusePhp(link.node, 'generatedAs() of an expression')
    column.generatedAs = typeof value === 'string' ? value : ''
  },
  always: flag((column, value) => {
    column.always = value
  }),
  change: flag((column, value) => {
    column.change = value
  }),
  useCurrent: flag((column, value) => {
    column.useCurrent = value
  }),
  autoIncrement: flag((column, value) => {
    column.autoIncrement = value
  }),
  primary: index('primary'),
  unique: index('unique'),
  index: index('index'),
  fulltext: index('fulltext'),
  fullText: index('fulltext'),
  spatialIndex: index('spatialindex'),
  unsigned: ignored,
  after: ignored,
  first: ignored,
  charset: ignored,
  useCurrentOnUpdate: ignored,
  invisible: ignored,
  instant: ignored,
  lock: ignored,
}

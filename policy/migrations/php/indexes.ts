/** Indexes of a Blueprint: made, dropped, renamed. */
import type { Arguments } from './arguments.ts'
import { bindArguments } from './arguments.ts'
import { conventionalName } from './identifiers.ts'
import type { Blueprint, Index, IndexType } from './model.ts'
import type { ChainLink, PhpNode } from './nodes.ts'
import { lineOf, refusePhp } from './nodes.ts'
import type { RawSql, Scope } from './values.ts'
import { isArray, listValues, toText } from './values.ts'

export const indexMethods: Readonly<Record<string, IndexType>> = {
  primary: 'primary',
  unique: 'unique',
  index: 'index',
  fullText: 'fulltext',
  fulltext: 'fulltext',
  spatialIndex: 'spatialindex',
}

export function readIndex(blueprint: Blueprint, link: ChainLink, type: IndexType, scope: Scope): Index {
  const given = bindArguments(link.node, link.arguments, ['columns', 'name', 'algorithm'], scope)
  const index = addIndex(blueprint, link.node, type, given.names('columns'), given.text('name'))
  const algorithm = given.text('algorithm')
  if (algorithm) index.algorithm = algorithm
  return index
}

export function addIndex(
  blueprint: Blueprint,
  node: PhpNode,
  type: IndexType,
  columns: readonly (string | RawSql)[],
  name?: string,
): Index {
  const plain = columns.map((column) =>
    typeof column === 'string' ? column : name ? '' : refusePhp(node, 'an index of an expression without a name'),
  )
  const conventional = type === 'spatialindex' ? 'spatialindex' : type
  const index: Index = {
    kind: 'index',
    line: lineOf(node),
    type,
    name: name || conventionalName(blueprint.table, plain, conventional),
    columns,
  }
  blueprint.commands.push(index)
  return index
}

/** Calls that may follow an index. */
export const indexModifiers: Readonly<Record<string, (index: Index, link: ChainLink, scope: Scope) => void>> = {
  algorithm(index, link, scope) {
    index.algorithm = bindArguments(link.node, link.arguments, ['algorithm'], scope).name('algorithm')
  },
  language(index, link, scope) {
    index.language = bindArguments(link.node, link.arguments, ['language'], scope).name('language')
  },
  deferrable(index, link, scope) {
    index.deferrable = bindArguments(link.node, link.arguments, ['value'], scope).flag('value', true)
  },
  initiallyImmediate(index, link, scope) {
    index.initiallyImmediate = bindArguments(link.node, link.arguments, ['value'], scope).flag('value', true)
  },
  nullsNotDistinct(index, link, scope) {
    index.nullsNotDistinct = bindArguments(link.node, link.arguments, ['value'], scope).flag('value', true)
  },
}

/** The index that a drop method means: its name, or the columns whose conventional name it has. */
export function droppedIndex(table: string, given: Arguments, type: string): string {
  const value = given.value('index')
  if (!isArray(value)) return given.name('index')
  return conventionalName(
    table,
    listValues(value).map((column) => toText(column, given.node)),
    type,
  )
}

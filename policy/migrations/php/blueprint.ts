/** Reads the statements of a Blueprint closure, `$table->string('a')->nullable(); …`, into a model. */
import { bindArguments } from './arguments.ts'
import type { ColumnMethod, TypeOf } from './columns.ts'
import { columnMethods } from './columns.ts'
import { readDrop } from './drops.ts'
import { addForeign, foreignModifiers, foreignOfColumn } from './foreign.ts'
import { groupMethods } from './groups.ts'
import { addIndex, indexMethods, indexModifiers, readIndex } from './indexes.ts'
import type { Blueprint, Column, ForeignKey } from './model.ts'
import { modifiers } from './modifiers.ts'
import type { ChainLink, PhpNode } from './nodes.ts'
import { callChain, isNode, lineOf, nameOf, refusePhp } from './nodes.ts'
import type { Scope } from './values.ts'
import { describe } from './values.ts'

/** Calls after which Laravel's Fluent object silently swallows what it does not know; named so that nobody is misled. */
export type Swallowed = (line: number, call: string, mend: string) => void

type Reader = { blueprint: Blueprint; variable: string; scope: Scope; swallowed: Swallowed }

export function readBlueprintStatement(node: PhpNode, reader: Reader): void {
  const expression = node.kind === 'expressionstatement' && isNode(node.expression) ? node.expression : node
  if (isTableOption(expression, reader.variable)) return
  const chain = callChain(expression)
  const [first, ...rest] = chain?.links ?? []
  if (!chain || !first || chain.root.kind !== 'variable' || nameOf(chain.root) !== reader.variable) {
    refusePhp(expression, describe(expression))
  }
  readCall(first, rest, reader)
}

/** `$table->engine = 'InnoDB'`: MySQL's alone, which Laravel's PostgreSQL grammar leaves out. */
function isTableOption(node: PhpNode, variable: string): boolean {
  if (node.kind !== 'assign' || !isNode(node.left) || node.left.kind !== 'propertylookup') return false
  const onTable = isNode(node.left.what) && nameOf(node.left.what) === variable
  return onTable && /^(engine|charset|collation)$/.test(nameOf(node.left.offset) ?? '')
}

const tableOptions = new Set(['engine', 'charset', 'collation', 'innoDb'])

function readCall(first: ChainLink, rest: readonly ChainLink[], reader: Reader): void {
  const { method } = first
  const column = own(columnMethods, method)
  const group = own(groupMethods, method)
  const index = own(indexMethods, method)
  if (column) readColumn(first, rest, column, reader)
  else if (group) readGroup(first, rest, reader)
  else if (index) follow(readIndex(reader.blueprint, first, index, reader.scope), rest, indexModifiers, reader)
  else if (method === 'rawIndex') readRawIndex(first, rest, reader)
  else if (method === 'foreign') readForeign(first, rest, reader)
  else if (tableOptions.has(method)) noMore(rest)
  else if (readDrop(reader.blueprint, first, reader.scope)) noMore(rest)
  else refusePhp(first.node, `$table->${method}()`)
}

function readColumn(first: ChainLink, rest: readonly ChainLink[], method: ColumnMethod, reader: Reader): void {
  const given = bindArguments(first.node, first.arguments, method.parameters, reader.scope)
  const name = given.text('column') ?? method.name ?? refusePhp(first.node, `$table->${first.method}() without a name`)
  const column = addColumn(reader.blueprint, first.node, name, method.make(given, name), method.nullable ?? false)
  for (const [at, link] of rest.entries()) {
    const key = method.foreign && foreignOfColumn(reader.blueprint, name, link, reader.scope)
    if (key) {
      readForeignRest(key, rest.slice(at + 1), reader)
      return
    }
    const modifier = own(modifiers, link.method)
    if (modifier) modifier(column, link, reader.scope)
    else if (own(foreignModifiers, link.method) || link.method === 'constrained') {
      const mend = `write $table->foreign('${name}')->references(...)->on(...)`
      reader.swallowed(lineOf(link.node), `${link.method}() on a column that is no foreignId`, mend)
    } else refusePhp(link.node, `->${link.method}() on a column`)
  }
}

function addColumn(blueprint: Blueprint, node: PhpNode, name: string, type: TypeOf, nullable: boolean): Column {
  const column: Column = {
    kind: 'column',
    line: lineOf(node),
    name,
    serial: undefined,
    current: undefined,
    allowed: undefined,
    autoIncrement: false,
    ...type,
    nullable,
    change: false,
    useCurrent: false,
    always: false,
    indexes: new Map(),
  }
  blueprint.commands.push(column)
  return column
}

function readGroup(first: ChainLink, rest: readonly ChainLink[], reader: Reader): void {
  const group = groupMethods[first.method]!
  noMore(rest)
  const given = bindArguments(first.node, first.arguments, group.parameters, reader.scope)
  const columns = group.columns(given)
  for (const { name, nullable, type } of columns) addColumn(reader.blueprint, first.node, name, type, nullable)
  if (!group.indexed) return
  const names = columns.map(({ name }) => name)
  addIndex(reader.blueprint, first.node, 'index', names, given.text('indexName'))
}

function readRawIndex(first: ChainLink, rest: readonly ChainLink[], reader: Reader): void {
  const given = bindArguments(first.node, first.arguments, ['expression', 'name'], reader.scope)
  const raw = { kind: 'raw', sql: given.name('expression') } as const
  follow(addIndex(reader.blueprint, first.node, 'index', [raw], given.name('name')), rest, indexModifiers, reader)
}

function readForeign(first: ChainLink, rest: readonly ChainLink[], reader: Reader): void {
  const given = bindArguments(first.node, first.arguments, ['columns', 'name'], reader.scope)
  const columns = given
    .names('columns')
    .map((name) => (typeof name === 'string' ? name : refusePhp(first.node, 'raw SQL in foreign()')))
  readForeignRest(addForeign(reader.blueprint, first.node, columns, given.text('name')), rest, reader)
}

function readForeignRest(key: ForeignKey, rest: readonly ChainLink[], reader: Reader): void {
  for (const link of rest) {
    const modifier = own(foreignModifiers, link.method)
    if (modifier) modifier(key, link, reader.scope)
    else if (own(modifiers, link.method)) {
      const call = `${link.method}() after a foreign key`
      reader.swallowed(lineOf(link.node), call, 'put it before constrained() or references()')
    } else refusePhp(link.node, `->${link.method}() on a foreign key`)
  }
}

function follow<T>(
  target: T,
  rest: readonly ChainLink[],
  known: Readonly<Record<string, (target: T, link: ChainLink, scope: Scope) => void>>,
  reader: Reader,
): void {
  for (const link of rest) {
    const modifier = own(known, link.method) ?? refusePhp(link.node, `->${link.method}() here`)
    modifier(target, link, reader.scope)
  }
}

function noMore(rest: readonly ChainLink[]): void {
  const [link] = rest
  if (link) refusePhp(link.node, `->${link.method}() here`)
}

function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}

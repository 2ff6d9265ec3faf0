/** Reads the body of `up()` or `down()`: Schema calls, DB::statement, literal variables and loops over literal lists. */
import type { SourceStatement } from '../source.ts'
import { bindArguments } from './arguments.ts'
import type { Swallowed } from './blueprint.ts'
import { readBlueprintStatement } from './blueprint.ts'
import { dropColumns, renameTable } from './drops.ts'
import { compileBlueprint } from './grammar.ts'
import { quoteTable } from './identifiers.ts'
import type { Blueprint } from './model.ts'
import type { PhpNode } from './nodes.ts'
import { isNode, lineOf, nameOf, nodesOf, refusePhp, staticCall } from './nodes.ts'
import type { Scope } from './values.ts'
import { describe, evaluate, isArray, toText } from './values.ts'

export type BodyReader = { readonly scope: Scope; readonly swallowed: Swallowed }

const most = 2_000

export function readBody(method: PhpNode, reader: BodyReader): SourceStatement[] {
  const found: SourceStatement[] = []
  const budget = { left: most }
  readStatements(bodyOf(method), reader.scope, budget, (node) => found.push(...readStatement(node, reader)))
  return found
}

function bodyOf(node: PhpNode): PhpNode[] {
  return isNode(node.body) ? nodesOf(node.body.children) : []
}

/** Follows the control flow that can be known: assignments of literals, foreach over literal arrays, a closing return. */
function readStatements(
  nodes: readonly PhpNode[],
  scope: Scope,
  budget: { left: number },
  read: (node: PhpNode) => void,
): void {
  for (const node of nodes) {
    budget.left -= 1
    if (budget.left < 0) refusePhp(node, `more than ${most} statements`)
    const expression = node.kind === 'expressionstatement' && isNode(node.expression) ? node.expression : undefined
    if (node.kind === 'foreach') unroll(node, scope, budget, read)
    else if (node.kind === 'block') readStatements(nodesOf(node.children), scope, budget, read)
    else if (expression?.kind === 'assign' && isNode(expression.left) && expression.left.kind === 'variable') {
      assign(expression, scope)
    } else if (node.kind === 'return' && !isNode(node.expr)) {
      if (node !== nodes.at(-1)) refusePhp(node, 'return before the end')
    } else if (node.kind !== 'noop' && node.kind !== 'inline') read(expression ?? node)
  }
}

function assign(node: PhpNode, scope: Scope): void {
  const name = nameOf(node.left)
  if (name === undefined || node.operator !== '=' || !isNode(node.right)) refusePhp(node, 'an assignment')
  scope.variables.set(name, evaluate(node.right, scope))
}

function unroll(node: PhpNode, scope: Scope, budget: { left: number }, read: (node: PhpNode) => void): void {
  const values = isNode(node.source) ? evaluate(node.source, scope) : null
  const item = isNode(node.value) && node.value.kind === 'variable' ? nameOf(node.value) : undefined
  if (!isArray(values) || item === undefined) refusePhp(node, describe(node))
  const keyName = isNode(node.key) ? nameOf(node.key) : undefined
  const body = isNode(node.body) ? [node.body] : []
  for (const [at, [key, value]] of values.entries.entries()) {
    scope.variables.set(item, value)
    if (keyName !== undefined) scope.variables.set(keyName, key ?? at)
    readStatements(body, scope, budget, read)
  }
}

function readStatement(node: PhpNode, reader: BodyReader): SourceStatement[] {
  const call = staticCall(node)
  const known =
    call && Object.hasOwn(calls, `${call.target}.${call.method}`) ? calls[`${call.target}.${call.method}`] : undefined
  return known ? known(node, reader) : refusePhp(node, describe(node))
}

type Call = (node: PhpNode, reader: BodyReader) => SourceStatement[]

const nothing: Call = () => []

const calls: Readonly<Record<string, Call>> = {
  'Schema.create': (node, reader) => blueprintCall(node, reader, true),
  'Schema.table': (node, reader) => blueprintCall(node, reader, false),
  'Schema.drop': tableCall((table) => `drop table ${quoteTable(table)}`),
  'Schema.dropIfExists': tableCall((table) => `drop table if exists ${quoteTable(table)}`),
  'Schema.rename'(node, { scope }) {
    const given = bindArguments(node, nodesOf(node.arguments), ['from', 'to'], scope)
    return [{ sql: renameTable(given.name('from'), given.name('to')), line: lineOf(node) }]
  },
  'Schema.dropColumns'(node, { scope }) {
    const given = bindArguments(node, nodesOf(node.arguments), ['table', 'columns'], scope)
    const columns = given
      .names('columns')
      .map((name) => (typeof name === 'string' ? name : refusePhp(node, 'raw SQL here')))
    return [{ sql: dropColumns(given.name('table'), columns), line: lineOf(node) }]
  },
  // Laravel sends SET CONSTRAINTS: it touches deferrable keys only, for the transaction, and changes no table.
  'Schema.disableForeignKeyConstraints': nothing,
  'Schema.enableForeignKeyConstraints': nothing,
  'DB.statement': sqlCall,
  'DB.unprepared': sqlCall,
}

function tableCall(write: (table: string) => string): Call {
  return (node, { scope }) => {
    const given = bindArguments(node, nodesOf(node.arguments), ['table'], scope)
    return [{ sql: write(given.name('table')), line: lineOf(node) }]
  }
}

function sqlCall(node: PhpNode, { scope }: BodyReader): SourceStatement[] {
  const [text, bindings] = nodesOf(node.arguments)
  if (!text || bindings) refusePhp(node, 'a statement with bindings')
  return [{ sql: toText(evaluate(text, scope), text), line: lineOf(text) }]
}

function blueprintCall(node: PhpNode, { scope, swallowed }: BodyReader, creating: boolean): SourceStatement[] {
  const [name, closure, more] = nodesOf(node.arguments)
  if (!name || !closure || more) refusePhp(node, `${describe(node)} without a table and a closure`)
  const [parameter] = nodesOf(closure.arguments)
  const variable = nameOf(parameter?.name)
  const isClosure = closure.kind === 'closure' || closure.kind === 'arrowfunc'
  if (!isClosure || !parameter || variable === undefined) refusePhp(closure, `${describe(node)} without a closure`)
  const table = toText(evaluate(name, scope), name)
  const blueprint: Blueprint = { table, creating, line: lineOf(node), commands: [] }
  const inner: Scope = { ...scope, variables: new Map(scope.variables) }
  const body = closure.kind === 'arrowfunc' && isNode(closure.body) ? [closure.body] : bodyOf(closure)
  readStatements(body, inner, { left: most }, (statement) =>
    readBlueprintStatement(statement, { blueprint, variable, scope: inner, swallowed }),
  )
  return compileBlueprint(blueprint)
}

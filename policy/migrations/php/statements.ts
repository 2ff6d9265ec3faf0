/** Reads the body of `up()` or `down()`: Schema calls, DB::statement, literal variables and loops over literal lists. */
import { maxMigrationStatements } from '../../sql/guard.ts'
import { parseSql } from '../../sql/parse.ts'
import type { MutableSchema } from '../module-schema.ts'
import { applyToSchema } from '../module-schema.ts'
import type { SourceStatement } from '../source.ts'
import { bindArguments } from './arguments.ts'
import type { Swallowed } from './blueprint.ts'
import { readBlueprintStatement } from './blueprint.ts'
import { holds } from './conditions.ts'
import { dropColumns, renameTable } from './drops.ts'
import { compileBlueprint } from './grammar.ts'
import { quoteTable } from './identifiers.ts'
import type { Blueprint } from './model.ts'
import type { PhpNode } from './nodes.ts'
import { isNode, lineOf, nameOf, nodesOf, refusePhp, staticCall } from './nodes.ts'
import type { Scope } from './values.ts'
import { describe, evaluate, isArray, toText } from './values.ts'

export type BodyReader = {
  readonly scope: Scope
  readonly swallowed: Swallowed
  /** What earlier migrations made, for conditions; this body's own statements are followed in it. */
  readonly schema: MutableSchema | undefined
}

/** Of PHP, each time that one is followed; closures draw from the same. */
const most = 2_000

type Reading = BodyReader & { readonly budget: { left: number } }

/** Refuses a body of more statements than a file of SQL may have. */
export function readBody(method: PhpNode, reader: BodyReader): SourceStatement[] {
  const found: SourceStatement[] = []
  const reading: Reading = { ...reader, budget: { left: most } }
  const read = (node: PhpNode) => {
    const statements = readStatement(node, reading, read)
    for (const { sql } of statements) followStatement(reader.schema, sql)
    found.push(...statements)
    if (found.length > maxMigrationStatements) refusePhp(node, `more than ${maxMigrationStatements} statements of SQL`)
  }
  readStatements(bodyOf(method), { ...reading, read })
  return found
}

function followStatement(schema: MutableSchema | undefined, sql: string): void {
  if (!schema) return
  const parsed = parseSql(sql)
  for (const { stmt } of parsed.ok ? parsed.statements : []) applyToSchema(schema, stmt)
}

function bodyOf(node: PhpNode): PhpNode[] {
  return isNode(node.body) ? nodesOf(node.body.children) : []
}

type Flow = {
  readonly scope: Scope
  readonly schema: MutableSchema | undefined
  readonly budget: { left: number }
  readonly read: (node: PhpNode) => void
}

/**
 * Follows the control flow that can be known: assignments of literals, foreach over literal arrays, conditions with one
 * answer. True when a `return` was met.
 */
function readStatements(nodes: readonly PhpNode[], flow: Flow): boolean {
  for (const node of nodes) {
    flow.budget.left -= 1
    if (flow.budget.left < 0) refusePhp(node, `more than ${most} statements`)
    const expression = node.kind === 'expressionstatement' && isNode(node.expression) ? node.expression : undefined
    if (node.kind === 'return' && !isNode(node.expr)) return true
    if (node.kind === 'foreach') {
      if (unroll(node, flow)) return true
    } else if (node.kind === 'if') {
      const branch = chosenBranch(node, flow)
      if (branch && readStatements([branch], flow)) return true
    } else if (node.kind === 'block') {
      if (readStatements(nodesOf(node.children), flow)) return true
    } else if (node.kind === 'try') {
      // A statement that fails ends the migration's transaction, whatever is caught: the body is all that can succeed.
      // `finally` is run after a return too.
      const returned = readStatements([node.body].filter(isNode), flow)
      if (readStatements([node.always].filter(isNode), flow) || returned) return true
    } else if (expression?.kind === 'assign' && isNode(expression.left) && expression.left.kind === 'variable') {
      assign(expression, flow.scope)
    } else if (node.kind !== 'noop' && node.kind !== 'inline') flow.read(expression ?? node)
  }
  return false
}

function chosenBranch(node: PhpNode, flow: Flow): PhpNode | undefined {
  if (!isNode(node.test)) refusePhp(node, 'if')
  const branch = holds(node.test, flow.scope, flow.schema) ? node.body : node.alternate
  return isNode(branch) ? branch : undefined
}

function assign(node: PhpNode, scope: Scope): void {
  const name = nameOf(node.left)
  if (name === undefined || node.operator !== '=' || !isNode(node.right)) refusePhp(node, 'an assignment')
  scope.variables.set(name, evaluate(node.right, scope))
}

function unroll(node: PhpNode, flow: Flow): boolean {
  const values = isNode(node.source) ? evaluate(node.source, flow.scope) : null
  const item = isNode(node.value) && node.value.kind === 'variable' ? nameOf(node.value) : undefined
  if (!isArray(values) || item === undefined) refusePhp(node, describe(node))
  const keyName = isNode(node.key) ? nameOf(node.key) : undefined
  const body = isNode(node.body) ? [node.body] : []
  for (const [at, [key, value]] of values.entries.entries()) {
    flow.scope.variables.set(item, value)
    if (keyName !== undefined) flow.scope.variables.set(keyName, key ?? at)
    if (readStatements(body, flow)) return true
  }
  return false
}

function readStatement(node: PhpNode, reader: Reading, read: (node: PhpNode) => void): SourceStatement[] {
  const call = staticCall(node)
  const known =
    call && Object.hasOwn(calls, `${call.target}.${call.method}`) ? calls[`${call.target}.${call.method}`] : undefined
  if (call?.target === 'DB' && call.method === 'transaction') return transaction(node, reader, read)
  return known ? known(node, reader) : refusePhp(node, describe(node))
}

/** Each migration runs in one transaction anyway. */
function transaction(node: PhpNode, reader: Reading, read: (node: PhpNode) => void): SourceStatement[] {
  const [closure, attempts] = nodesOf(node.arguments)
  if (closure?.kind !== 'closure' || attempts || nodesOf(closure.arguments).length > 0) refusePhp(node, describe(node))
  const { scope, schema, budget } = reader
  const outside = [...scope.variables]
  readStatements(bodyOf(closure), { scope, schema, budget, read })
  // What a closure assigns is its own.
  scope.variables.clear()
  for (const [name, value] of outside) scope.variables.set(name, value)
  return []
}

type Call = (node: PhpNode, reader: Reading) => SourceStatement[]

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

function sqlCall(node: PhpNode, { scope }: Reading): SourceStatement[] {
  const [text, bindings] = nodesOf(node.arguments)
  if (!text || bindings) refusePhp(node, 'a statement with bindings')
  return [{ sql: toText(evaluate(text, scope), text), line: lineOf(text) }]
}

function blueprintCall(node: PhpNode, reading: Reading, creating: boolean): SourceStatement[] {
  const { scope, swallowed, schema, budget } = reading
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
  const read = (statement: PhpNode) =>
    readBlueprintStatement(statement, { blueprint, variable, scope: inner, swallowed })
  readStatements(body, { scope: inner, schema, budget, read })
  return compileBlueprint(blueprint)
}

/** Conditions with one answer: what the module's own schema holds, and which database this is. */
import type { ModuleSchema } from '../module-schema.ts'
import { bindArguments } from './arguments.ts'
import type { PhpNode } from './nodes.ts'
import { isNode, nameOf, nodesOf, refusePhp, staticCall } from './nodes.ts'
import type { PhpValue, Scope } from './values.ts'
import { describe, evaluate, isArray, listValues } from './values.ts'

/** `schema` is undefined when what earlier migrations made is not known. */
export function holds(node: PhpNode, scope: Scope, schema: ModuleSchema | undefined): boolean {
  const inner = isNode(node.what) ? node.what : undefined
  if (node.kind === 'unary' && node.type === '!' && inner) return !holds(inner, scope, schema)
  if (node.kind === 'bin' && isNode(node.left) && isNode(node.right))
    return binary(node, node.left, node.right, scope, schema)
  if (node.kind === 'boolean') return node.value === true
  const call = staticCall(node)
  const question =
    call?.target === 'Schema' && Object.hasOwn(questions, call.method) ? questions[call.method] : undefined
  if (question) {
    if (!schema) refusePhp(node, `if (${describe(node)}): what earlier migrations made is not known here`)
    return question(node, scope, schema)
  }
  if (node.kind === 'call' && nameOf(node.what) === 'in_array') return inArray(node, scope)
  return refusePhp(node, `if (${describe(node)})`)
}

function binary(node: PhpNode, left: PhpNode, right: PhpNode, scope: Scope, schema: ModuleSchema | undefined): boolean {
  const type = String(node.type).toLowerCase()
  if (type === '&&' || type === 'and') return holds(left, scope, schema) && holds(right, scope, schema)
  if (type === '||' || type === 'or') return holds(left, scope, schema) || holds(right, scope, schema)
  const comparison = /^([=!])==?$/.exec(type)
  if (!comparison) refusePhp(node, `if with the operator ${type}`)
  const a = comparable(left, scope)
  const b = comparable(right, scope)
  // PHP's loose comparison of different types is not followed.
  if (typeof a !== typeof b) refusePhp(node, 'a comparison of different types')
  return (a === b) === (comparison[1] === '=')
}

function comparable(node: PhpNode, scope: Scope): PhpValue {
  return isDriverName(node) ? 'pgsql' : evaluate(node, scope)
}

/** `DB::getDriverName()`, `DB::connection()->getDriverName()`, `Schema::getConnection()->getDriverName()`. */
function isDriverName(node: PhpNode): boolean {
  const call = staticCall(node)
  if (call) return call.target === 'DB' && call.method === 'getDriverName'
  const what = node.kind === 'call' && isNode(node.what) && node.what.kind === 'propertylookup' ? node.what : undefined
  const root = what && nameOf(what.offset) === 'getDriverName' && isNode(what.what) ? what.what : undefined
  const connection = root && nodesOf(root.arguments).length === 0 ? staticCall(root) : undefined
  return (
    connection !== undefined &&
    /^(DB\.connection|Schema\.getConnection)$/.test(`${connection.target}.${connection.method}`)
  )
}

function inArray(node: PhpNode, scope: Scope): boolean {
  const [needle, haystack] = nodesOf(node.arguments)
  if (!needle || !haystack) refusePhp(node, 'in_array()')
  const values = evaluate(haystack, scope)
  return isArray(values) ? listValues(values).includes(comparable(needle, scope)) : refusePhp(node, 'in_array()')
}

type Question = (node: PhpNode, scope: Scope, schema: ModuleSchema) => boolean

const questions: Readonly<Record<string, Question>> = {
  hasTable(node, scope, schema) {
    return schema.has(bindArguments(node, nodesOf(node.arguments), ['table'], scope).name('table'))
  },
  hasColumn(node, scope, schema) {
    const given = bindArguments(node, nodesOf(node.arguments), ['table', 'column'], scope)
    return hasColumn(schema, given.name('table'), given.name('column'))
  },
  hasColumns(node, scope, schema) {
    const given = bindArguments(node, nodesOf(node.arguments), ['table', 'columns'], scope)
    return given
      .names('columns')
      .every((name) => typeof name === 'string' && hasColumn(schema, given.name('table'), name))
  },
}

/** Laravel compares column names without regard to case. */
function hasColumn(schema: ModuleSchema, table: string, column: string): boolean {
  const wanted = column.toLowerCase()
  return [...(schema.get(table) ?? [])].some((name) => name.toLowerCase() === wanted)
}

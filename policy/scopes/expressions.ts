import { at, type Builder, copy, nameOf, newNode, type Tree, unknownNode, variableNode } from './builder.ts'
import { call, tagged } from './calls.ts'
import { op } from './facts.ts'
import { classValue, functionValue } from './functions.ts'
import { arrayValue, objectValue } from './literals.ts'
import { bindPattern, keyName, load } from './patterns.ts'
import { applyType } from './types.ts'

const numericOperators = new Set(['-', '*', '/', '%', '**', '|', '&', '^', '<<', '>>', '>>>'])
const orderOperators = new Set(['<', '>', '<=', '>='])
const equality = new Set(['==', '===', '!=', '!=='])

/** Reads an expression and answers with the node of its value: 0 where nobody needs to follow it. */
export function expression(builder: Builder, node: Tree): number {
  switch (node.type) {
    case 'Literal':
    case 'MetaProperty':
      return 0
    case 'Identifier':
      return identifier(builder, node)
    case 'ThisExpression':
      return builder.frame.self
    case 'Super':
      return builder.frame.self
    case 'MemberExpression': {
      const object = expression(builder, node.object)
      const name = keyName(builder, node.property, node.computed)
      return object === 0 ? 0 : load(builder, object, name, node)
    }
    case 'CallExpression':
    case 'NewExpression':
      return call(builder, node)
    case 'TaggedTemplateExpression':
      return tagged(builder, node)
    case 'ChainExpression':
    case 'TSNonNullExpression':
    case 'TSSatisfiesExpression':
    case 'TSInstantiationExpression':
      return expression(builder, node.expression)
    case 'TSAsExpression':
    case 'TSTypeAssertion':
      return applyType(builder, node.typeAnnotation, expression(builder, node.expression))
    case 'AwaitExpression':
      return expression(builder, node.argument)
    case 'ArrowFunctionExpression':
    case 'FunctionExpression':
      return functionValue(builder, node)
    case 'ClassExpression':
      return classValue(builder, node)
    case 'ObjectExpression':
      return objectValue(builder, node)
    case 'ArrayExpression':
      return arrayValue(builder, node)
    case 'ConditionalExpression':
      expression(builder, node.test)
      return join(builder, [expression(builder, node.consequent), expression(builder, node.alternate)])
    case 'LogicalExpression':
      return join(builder, [expression(builder, node.left), expression(builder, node.right)])
    case 'SequenceExpression':
      return node.expressions.map((part) => expression(builder, part)).at(-1) ?? 0
    case 'AssignmentExpression':
      return assignment(builder, node)
    case 'UnaryExpression': {
      const value = expression(builder, node.argument)
      if (value !== 0 && (node.operator === '+' || node.operator === '-' || node.operator === '~'))
        number(builder, value, node, 0)
      return 0
    }
    case 'UpdateExpression': {
      const value = expression(builder, node.argument)
      if (value !== 0) number(builder, value, node, 0)
      return 0
    }
    case 'BinaryExpression':
      return binary(builder, node)
    case 'TemplateLiteral':
      return textOf(
        builder,
        node.expressions.map((part) => expression(builder, part)),
      )
    case 'YieldExpression': {
      const value = node.argument ? expression(builder, node.argument) : 0
      const element = node.delegate && value !== 0 ? load(builder, value, -1, node) : value
      if (element !== 0) builder.code.push(op.store, builder.frame.yielded, -1, element, at(node))
      // What a delegate returns is given to none but whoever delegates.
      return node.delegate ? join(builder, [unknownNode(builder), element]) : unknownNode(builder)
    }
    case 'ImportExpression': {
      const specifier = node.source.type === 'Literal' ? String(node.source.value) : undefined
      if (specifier === undefined) return unknownNode(builder)
      const result = newNode(builder)
      builder.specifiers.push([specifier, at(node)])
      builder.imports.push({ specifier, name: '*', node: result })
      return result
    }
    case 'SpreadElement':
      return expression(builder, node.argument)
    default:
      return unsupported(builder, node)
  }
}

function identifier(builder: Builder, node: Extract<Tree, { type: 'Identifier' }>): number {
  const variable = builder.variables.get(node)
  if (variable) return variableNode(builder, variable)
  if (node.name === 'undefined' || node.name === 'NaN' || node.name === 'Infinity') return 0
  const result = newNode(builder)
  // `arguments` holds the context where nobody looks for it, so nothing is known of it but that it must not be used.
  builder.code.push(op.global, result, nameOf(builder, node.name), at(node))
  return result
}

function assignment(builder: Builder, node: Extract<Tree, { type: 'AssignmentExpression' }>): number {
  const value = expression(builder, node.right)
  if (node.operator === '=' || node.operator === '??=' || node.operator === '||=' || node.operator === '&&=') {
    bindPattern(builder, node.left, value)
    return value
  }
  const left = expression(builder, node.left)
  if (node.operator === '+=') {
    const text = textOf(builder, [left, value])
    if (text !== 0) bindPattern(builder, node.left, text)
    return text
  }
  for (const side of [left, value]) if (side !== 0) number(builder, side, node, 0)
  return 0
}

function binary(builder: Builder, node: Extract<Tree, { type: 'BinaryExpression' }>): number {
  const left = node.left.type === 'PrivateIdentifier' ? 0 : expression(builder, node.left)
  const right = expression(builder, node.right)
  if (node.operator === '+') return textOf(builder, [left, right])
  const sides = [left, right].filter((side) => side !== 0)
  if (numericOperators.has(node.operator)) for (const side of sides) number(builder, side, node, 0)
  if (orderOperators.has(node.operator)) for (const side of sides) number(builder, side, node, 1)
  const againstNumber = [node.left, node.right].some(isNumber)
  if (equality.has(node.operator) && againstNumber) for (const side of sides) number(builder, side, node, 1)
  return 0
}

function isNumber(node: Tree): boolean {
  if (node.type === 'UnaryExpression') return isNumber(node.argument)
  return node.type === 'Literal' && (typeof node.value === 'number' || typeof node.value === 'bigint')
}

function number(builder: Builder, value: number, node: Tree, kind: 0 | 1): void {
  builder.code.push(op.number, value, at(node), kind)
}

/** A text made of values: an identifier in it is still that identifier when somebody makes a number of it. */
function textOf(builder: Builder, parts: readonly number[]): number {
  const followed = parts.filter((part) => part !== 0)
  if (followed.length === 0) return 0
  const result = newNode(builder)
  for (const part of followed) builder.code.push(op.text, part, result)
  return result
}

function join(builder: Builder, values: readonly number[]): number {
  const followed = values.filter((value) => value !== 0)
  if (followed.length < 2) return followed[0] ?? 0
  const result = newNode(builder)
  for (const value of followed) copy(builder, value, result)
  return result
}

/** Forms nobody taught the scan (JSX, decorators): whatever is inside leaves its sight, and is an error if it matters. */
function unsupported(builder: Builder, node: Tree): number {
  for (const [key, child] of Object.entries(node)) {
    if (key === 'parent' || key === 'loc' || key === 'range') continue
    for (const part of Array.isArray(child) ? child : [child]) {
      if (!isTree(part)) continue
      const value = expression(builder, part)
      if (value !== 0) builder.code.push(op.escape, value, at(node), 1)
    }
  }
  return unknownNode(builder)
}

function isTree(value: unknown): value is Tree {
  return (
    typeof value === 'object' &&
    value !== null &&
    'type' in value &&
    'range' in value &&
    !String(value.type).startsWith('TSType')
  )
}

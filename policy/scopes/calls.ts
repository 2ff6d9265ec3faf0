import { at, type Builder, nameOf, newNode, type Tree, unknownNode } from './builder.ts'
import { expression } from './expressions.ts'
import { callFlags, op } from './facts.ts'
import { keyName, literalText, load } from './patterns.ts'
import { applyType } from './types.ts'

type CallLike = Extract<Tree, { type: 'CallExpression' | 'NewExpression' }>

export function call(builder: Builder, node: CallLike): number {
  const { callee, receiver } = target(builder, node.callee)
  let flags = node.type === 'NewExpression' ? callFlags.construct : 0
  if (builder.frame.depth === 0) flags |= callFlags.lasting
  const values = node.arguments.map((argument) => {
    if (argument.type !== 'SpreadElement') return expression(builder, argument)
    flags |= callFlags.spread
    const list = expression(builder, argument.argument)
    return list === 0 ? 0 : load(builder, list, -1, argument)
  })
  const text = firstText(builder, node.arguments[0])
  const result = newNode(builder)
  const name = text === undefined ? -1 : nameOf(builder, text)
  builder.code.push(op.call, callee, receiver, result, at(node), flags, name, values.length, ...values)
  return applyType(builder, node.typeArguments?.params[0], result)
}

/** What is called, and on what. A call of nothing known is a call of something unknown. */
function target(builder: Builder, callee: Tree): { callee: number; receiver: number } {
  if (callee.type === 'ChainExpression' || callee.type === 'TSNonNullExpression')
    return target(builder, callee.expression)
  if (callee.type === 'Super')
    return { callee: builder.frame.parentClass || unknownNode(builder), receiver: builder.frame.self }
  if (callee.type !== 'MemberExpression')
    return { callee: expression(builder, callee) || unknownNode(builder), receiver: 0 }
  const receiver = expression(builder, callee.object)
  const name = keyName(builder, callee.property, callee.computed)
  // A method of a literal ('…'.padStart, /…/.test) is the language's own.
  if (receiver === 0) return { callee: languageNode(builder), receiver }
  return { callee: load(builder, receiver, name, callee.property), receiver }
}

function languageNode(builder: Builder): number {
  const method = newNode(builder)
  builder.code.push(op.global, method, nameOf(builder, 'String.prototype'), 0)
  return method
}

/** The text of a first argument; of a template, what comes before its first value followed by an ellipsis. */
function firstText(builder: Builder, argument: Tree | undefined): string | undefined {
  const text = literalText(builder, argument)
  if (text !== undefined || argument?.type !== 'TemplateLiteral') return text
  const head = argument.quasis[0]?.value.cooked
  return head ? `${head}…` : undefined
}

export function tagged(builder: Builder, node: Extract<Tree, { type: 'TaggedTemplateExpression' }>): number {
  const tag = expression(builder, node.tag) || unknownNode(builder)
  const values = node.quasi.expressions.map((part) => expression(builder, part))
  const result = newNode(builder)
  builder.code.push(op.tag, tag, result, at(node), values.length, ...values)
  return result
}

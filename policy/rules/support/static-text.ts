import type { Node, Scope } from './lint-rule.ts'
import { constantInitializer } from './variables.ts'

const maxDepth = 12

/**
 * The text an expression certainly has, where it can be told without running anything: literals, templates, concatenation,
 * constants, `['e','v'].join('')`, `String.fromCharCode(101)`. Undefined where it cannot be told.
 */
export function staticText(node: Node, scope: Scope, depth = 0): string | undefined {
  if (depth > maxDepth) return undefined
  const text = (inner: Node) => staticText(inner, scope, depth + 1)
  switch (node.type) {
    case 'Literal':
      return typeof node.value === 'string' || typeof node.value === 'number' ? String(node.value) : undefined
    case 'TemplateLiteral':
      return joined(
        node.quasis.flatMap((quasi, index) => {
          const expression = node.expressions[index]
          return expression ? [quasi.value.cooked, text(expression)] : [quasi.value.cooked]
        }),
      )
    case 'BinaryExpression':
      return node.operator === '+' ? joined([text(node.left), text(node.right)]) : undefined
    case 'TSAsExpression':
    case 'TSNonNullExpression':
    case 'TSSatisfiesExpression':
      return text(node.expression)
    case 'Identifier': {
      const initializer = constantInitializer(node, scope)
      return initializer ? text(initializer) : undefined
    }
    case 'CallExpression':
      return textOfCall(node, text)
    default:
      return undefined
  }
}

function textOfCall(node: Extract<Node, { type: 'CallExpression' }>, text: (inner: Node) => string | undefined) {
  const { callee } = node
  if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return undefined
  const method = callee.property.name
  if (method === 'join' && callee.object.type === 'ArrayExpression') {
    const parts = callee.object.elements.map((element) => (element ? text(element) : ''))
    const separator = node.arguments[0] ? text(node.arguments[0]) : ','
    return separator === undefined || parts.includes(undefined) ? undefined : parts.join(separator)
  }
  if (method === 'fromCharCode' || method === 'fromCodePoint') {
    const codes = node.arguments.map((argument) => Number(text(argument)))
    return codes.every((code) => Number.isInteger(code) && code >= 0 && code < 0x11_0000)
      ? String.fromCodePoint(...codes)
      : undefined
  }
  if (method === 'concat') return joined([text(callee.object), ...node.arguments.map(text)])
  if (method === 'toLowerCase') return text(callee.object)?.toLowerCase()
  return undefined
}

function joined(parts: readonly (string | null | undefined)[]): string | undefined {
  return parts.every((part) => typeof part === 'string') ? parts.join('') : undefined
}

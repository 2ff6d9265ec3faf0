import { at, type Builder, copy, nameOf, newNode, type Tree, variableNode } from './builder.ts'
import { expression } from './expressions.ts'
import { allocations, op } from './facts.ts'
import { applyType } from './types.ts'

/** Lets a value flow into whatever a declaration, a parameter or an assignment names on its left. */
export function bindPattern(builder: Builder, pattern: Tree, value: number): void {
  switch (pattern.type) {
    case 'Identifier': {
      const variable = builder.variables.get(pattern)
      if (variable) {
        const node = variableNode(builder, variable)
        copy(builder, value, node)
        applyType(builder, pattern.typeAnnotation, node)
      } else if (value !== 0) builder.code.push(op.escape, value, at(pattern), 1)
      return
    }
    case 'ObjectPattern':
      bindObject(builder, pattern, applyType(builder, pattern.typeAnnotation, value))
      return
    case 'ArrayPattern':
      pattern.elements.forEach((element, index) => {
        if (!element) return
        if (element.type === 'RestElement') bindPattern(builder, element.argument, restOf(builder, element, value))
        else if (value !== 0)
          bindPattern(builder, element, load(builder, value, nameOf(builder, String(index)), element))
        else bindPattern(builder, element, 0)
      })
      return
    case 'AssignmentPattern': {
      const joined = newNode(builder)
      copy(builder, value, joined)
      copy(builder, expression(builder, pattern.right), joined)
      bindPattern(builder, pattern.left, joined)
      return
    }
    case 'MemberExpression': {
      const object = expression(builder, pattern.object)
      const name = keyName(builder, pattern.property, pattern.computed)
      if (name < 0 && value !== 0) builder.code.push(op.protocol, value, at(pattern))
      if (object !== 0) builder.code.push(op.store, object, name, value, at(pattern))
      else if (value !== 0) builder.code.push(op.escape, value, at(pattern), 1)
      return
    }
    case 'TSParameterProperty':
      bindPattern(builder, pattern.parameter, value)
      return
    case 'TSAsExpression':
    case 'TSNonNullExpression':
      bindPattern(builder, pattern.expression, value)
      return
    case 'RestElement':
      bindPattern(builder, pattern.argument, value)
      return
    default:
      if (value !== 0) builder.code.push(op.escape, value, at(pattern), 1)
  }
}

/** What a list's rest holds: any of its elements, each at another place than before. */
function restOf(builder: Builder, element: Tree, value: number): number {
  if (value === 0) return 0
  const rest = newNode(builder)
  allocateList(builder, rest)
  builder.code.push(op.store, rest, -1, load(builder, value, -1, element), at(element))
  return rest
}

/** A list that the code makes without writing it out. */
export function allocateList(builder: Builder, node: number): void {
  builder.code.push(op.allocate, node, allocations.indexOf('array'), builder.objects++)
}

function bindObject(builder: Builder, pattern: Extract<Tree, { type: 'ObjectPattern' }>, value: number): void {
  for (const property of pattern.properties) {
    if (property.type === 'RestElement') {
      const rest = newNode(builder)
      builder.code.push(op.allocate, rest, allocations.indexOf('object'), builder.objects++)
      if (value !== 0) builder.code.push(op.spread, value, rest)
      bindPattern(builder, property.argument, rest)
      continue
    }
    const name = keyName(builder, property.key, property.computed)
    bindPattern(builder, property.value, value === 0 ? 0 : load(builder, value, name, property))
  }
}

export function load(builder: Builder, object: number, name: number, where: Tree): number {
  const result = newNode(builder)
  builder.code.push(op.load, object, name, result, at(where))
  return result
}

/** The index of a property's name, or -1 where it is made at run time. */
export function keyName(builder: Builder, key: Tree, computed: boolean): number {
  if (!computed && key.type === 'Identifier') return nameOf(builder, key.name)
  if (key.type === 'PrivateIdentifier') return nameOf(builder, `#${key.name}`)
  const text = literalText(builder, key)
  if (text !== undefined) return nameOf(builder, text)
  expression(builder, key)
  return -1
}

/** The text of a literal, of a template without values, or of a constant that is one. */
export function literalText(builder: Builder, node: Tree | undefined): string | undefined {
  if (!node) return undefined
  if (node.type === 'Literal')
    return typeof node.value === 'string' || typeof node.value === 'number' ? String(node.value) : undefined
  if (node.type === 'TemplateLiteral')
    return node.expressions.length === 0 ? (node.quasis[0]?.value.cooked ?? undefined) : undefined
  if (node.type !== 'Identifier') return undefined
  const definition = builder.variables.get(node)?.defs[0]
  if (definition?.type !== 'Variable' || definition.node.type !== 'VariableDeclarator') return undefined
  const { init, parent } = definition.node
  return parent.type === 'VariableDeclaration' && parent.kind === 'const' && init?.type === 'Literal'
    ? literalText(builder, init)
    : undefined
}

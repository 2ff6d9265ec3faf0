import type { Node, Scope, TSESTree, Variable } from './lint-rule.ts'

/** The variable a name refers to from a scope; undefined for a global. */
export function findVariable(name: string, scope: Scope): Variable | undefined {
  for (let current: Scope | null = scope; current; current = current.upper) {
    const variable = current.set.get(name)
    if (variable && variable.defs.length > 0) return variable
  }
  return undefined
}

/** The initializer of a variable that is written once, where it is declared as a plain name. */
export function constantInitializer(node: TSESTree.Identifier, scope: Scope): Node | undefined {
  const definition = onlyDefinition(findVariable(node.name, scope))
  if (definition?.node.type !== 'VariableDeclarator') return undefined
  const { id, init } = definition.node
  return id.type === 'Identifier' && init ? init : undefined
}

/** Where a variable written once by a destructuring got its value: `const {a: {b}} = source` gives source and ['a','b']. */
export function destructuredFrom(
  node: TSESTree.Identifier,
  scope: Scope,
): { source: Node; path: string[] } | undefined {
  const definition = onlyDefinition(findVariable(node.name, scope))
  if (definition?.node.type !== 'VariableDeclarator') return undefined
  const { id, init } = definition.node
  if (!init || id.type !== 'ObjectPattern') return undefined
  const path = pathInPattern(id, definition.name)
  return path && { source: init, path }
}

function pathInPattern(pattern: TSESTree.ObjectPattern, target: Node): string[] | undefined {
  for (const property of pattern.properties) {
    if (property.type !== 'Property') continue
    const key = property.key.type === 'Identifier' && !property.computed ? property.key.name : literalText(property.key)
    if (key === undefined) continue
    const value = property.value.type === 'AssignmentPattern' ? property.value.left : property.value
    if (value === target) return [key]
    const inner = value.type === 'ObjectPattern' ? pathInPattern(value, target) : undefined
    if (inner) return [key, ...inner]
  }
  return undefined
}

function literalText(node: Node): string | undefined {
  return node.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined
}

function onlyDefinition(variable: Variable | undefined) {
  if (variable?.defs.length !== 1) return undefined
  const writes = variable.references.filter((reference) => reference.isWrite())
  return writes.length <= 1 ? variable.defs[0] : undefined
}

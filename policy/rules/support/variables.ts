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

function onlyDefinition(variable: Variable | undefined) {
  if (variable?.defs.length !== 1) return undefined
  const writes = variable.references.filter((reference) => reference.isWrite())
  return writes.length <= 1 ? variable.defs[0] : undefined
}

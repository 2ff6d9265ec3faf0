import { at, type Builder, copy, nameOf, newNode, type Tree, variableNode } from './builder.ts'
import { expression } from './expressions.ts'
import { op } from './facts.ts'
import { allocate } from './literals.ts'
import { statement } from './statements.ts'

export function importDeclaration(builder: Builder, node: Extract<Tree, { type: 'ImportDeclaration' }>): void {
  if (node.importKind === 'type') return
  const specifier = node.source.value
  builder.specifiers.push([specifier, at(node.source)])
  for (const imported of node.specifiers) {
    if (imported.type === 'ImportSpecifier' && imported.importKind === 'type') continue
    const variable = builder.variables.get(imported.local)
    if (!variable) continue
    builder.imports.push({ specifier, name: importedName(imported), node: variableNode(builder, variable) })
  }
}

export function importedName(node: Extract<Tree, { type: 'ImportDeclaration' }>['specifiers'][number]): string {
  if (node.type === 'ImportNamespaceSpecifier') return '*'
  return node.type === 'ImportDefaultSpecifier' ? 'default' : nameText(node.imported)
}

export function exportNamed(builder: Builder, node: Extract<Tree, { type: 'ExportNamedDeclaration' }>): void {
  if (node.exportKind === 'type') return
  if (node.source) {
    const specifier = node.source.value
    builder.specifiers.push([specifier, at(node.source)])
    for (const { local, exported } of node.specifiers) {
      builder.reexports.push({ specifier, name: nameText(local), as: nameText(exported) })
    }
    return
  }
  if (node.declaration) {
    statement(builder, node.declaration)
    for (const name of declaredNames(node.declaration)) exportVariable(builder, name, name.name)
  }
  for (const { local, exported } of node.specifiers) exportVariable(builder, local, nameText(exported))
}

export function exportAll(builder: Builder, node: Extract<Tree, { type: 'ExportAllDeclaration' }>): void {
  if (node.exportKind === 'type') return
  builder.specifiers.push([node.source.value, at(node.source)])
  builder.reexports.push({ specifier: node.source.value, name: '*', as: node.exported ? nameText(node.exported) : '*' })
}

export function exportDefault(builder: Builder, node: Extract<Tree, { type: 'ExportDefaultDeclaration' }>): void {
  const { declaration } = node
  let value = 0
  if (declaration.type === 'FunctionDeclaration' || declaration.type === 'ClassDeclaration') {
    statement(builder, declaration)
    value = builder.functionNodes.get(declaration) ?? 0
  } else value = expression(builder, declaration)
  builder.exports.push({ name: 'default', node: value === 0 ? newNode(builder) : value })
}

/** `namespace A { export … }` is an object whose fields are the variables it exports. */
export function namespace(builder: Builder, name: Tree, body: readonly Tree[]): void {
  const object = allocate(builder, 'object')
  const variable = builder.variables.get(name)
  if (variable) copy(builder, object, variableNode(builder, variable))
  for (const node of body) {
    const declaration = node.type === 'ExportNamedDeclaration' ? node.declaration : undefined
    statement(builder, declaration ?? node)
    for (const declared of declaration ? declaredNames(declaration) : []) shareVariable(builder, object, declared)
  }
}

/** Whoever writes to the field writes to the variable, and the reverse. */
function shareVariable(builder: Builder, object: number, declared: Extract<Tree, { type: 'Identifier' }>): void {
  const variable = builder.variables.get(declared)
  if (!variable) return
  const [node, name] = [variableNode(builder, variable), nameOf(builder, declared.name)]
  builder.code.push(op.store, object, name, node, at(declared), op.load, object, name, node, at(declared))
}

function exportVariable(builder: Builder, identifier: Tree, name: string): void {
  const variable = builder.variables.get(identifier)
  if (variable) builder.exports.push({ name, node: variableNode(builder, variable) })
}

function declaredNames(declaration: Tree): Extract<Tree, { type: 'Identifier' }>[] {
  if (declaration.type === 'VariableDeclaration') return declaration.declarations.flatMap(({ id }) => patternNames(id))
  return 'id' in declaration && declaration.id?.type === 'Identifier' ? [declaration.id] : []
}

function patternNames(pattern: Tree): Extract<Tree, { type: 'Identifier' }>[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern]
    case 'ObjectPattern':
      return pattern.properties.flatMap((property) =>
        patternNames(property.type === 'Property' ? property.value : property.argument),
      )
    case 'ArrayPattern':
      return pattern.elements.flatMap((element) => (element ? patternNames(element) : []))
    case 'AssignmentPattern':
      return patternNames(pattern.left)
    case 'RestElement':
      return patternNames(pattern.argument)
    default:
      return []
  }
}

export function nameText(node: Tree): string {
  return node.type === 'Identifier' ? node.name : node.type === 'Literal' ? String(node.value) : ''
}

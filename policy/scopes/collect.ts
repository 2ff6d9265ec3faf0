import type { ScopeManager } from '@typescript-eslint/scope-manager'
import type { TSESTree } from '@typescript-eslint/types'
import { type Builder, createBuilder, nameOf } from './builder.ts'
import { type FileFacts, op } from './facts.ts'
import { importedName, nameText } from './modules.ts'
import { simplify } from './simplify.ts'
import { statement } from './statements.ts'
import { declaredTypes } from './types.ts'

const sdk = '@partner/sdk'

/** Reads one file of the module into facts about where its values flow. */
export function collectFacts(ast: TSESTree.Program, scopeManager: ScopeManager): FileFacts {
  const builder = createBuilder(scopeManager)
  for (const node of ast.body) collectTypes(builder, node)
  const regions = new Map<string, number>()
  for (const node of ast.body) {
    const { functions, classes, objects } = builder
    const name = nameOf(builder, regionName(node, regions))
    builder.code.push(op.region, name, functions.length, classes.length, objects)
    statement(builder, node)
  }
  const named = declaredTypes(builder)
  const code = Int32Array.from(builder.code)
  const { nodes, names, functions, classes, objects, imports, exports, reexports, specifiers, types, requiredScopes } =
    builder
  return simplify({
    nodes,
    code,
    names,
    functions,
    classes,
    objects,
    imports,
    exports,
    reexports,
    specifiers,
    types,
    declaredTypes: named,
    requiredScopes,
  })
}

/** A name that a statement keeps when others are edited: of what it declares, or its kind, numbered where there are several. */
function regionName(node: TSESTree.ProgramStatement, known: Map<string, number>): string {
  const exported = node.type === 'ExportNamedDeclaration' || node.type === 'ExportDefaultDeclaration'
  const declaration = exported && node.declaration ? node.declaration : node
  const declared = declaration.type === 'VariableDeclaration' ? declaration.declarations[0]?.id : idOf(declaration)
  const name = declared?.type === 'Identifier' ? declared.name : declaration.type
  const count = known.get(name) ?? 0
  known.set(name, count + 1)
  return `${name}#${count}`
}

function idOf(node: TSESTree.Node): TSESTree.Node | null | undefined {
  return node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration' ? node.id : undefined
}

function collectTypes(builder: Builder, node: TSESTree.ProgramStatement): void {
  const declaration = node.type === 'ExportNamedDeclaration' && node.declaration ? node.declaration : node
  if (declaration.type === 'TSInterfaceDeclaration' || declaration.type === 'TSTypeAliasDeclaration') {
    builder.declaredTypes.set(declaration.id.name, declaration)
  }
  if (node.type === 'ExportNamedDeclaration' && node.source) {
    for (const { local, exported } of node.specifiers)
      builder.importedTypes.set(nameText(exported), [node.source.value, nameText(local)])
  }
  if (node.type !== 'ImportDeclaration') return
  for (const specifier of node.specifiers) {
    if (node.source.value === sdk) builder.sdkTypes.add(specifier.local.name)
    else if (specifier.type !== 'ImportNamespaceSpecifier')
      builder.importedTypes.set(specifier.local.name, [node.source.value, importedName(specifier)])
  }
}

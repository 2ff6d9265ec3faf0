import type { ScopeManager } from '@typescript-eslint/scope-manager'
import type { TSESTree } from '@typescript-eslint/types'
import { type Builder, createBuilder } from './builder.ts'
import type { FileFacts } from './facts.ts'
import { simplify } from './simplify.ts'
import { statements } from './statements.ts'

const sdk = '@partner/sdk'

/** Reads one file of the module into facts about where its values flow. */
export function collectFacts(ast: TSESTree.Program, scopeManager: ScopeManager): FileFacts {
  const builder = createBuilder(scopeManager)
  for (const node of ast.body) collectTypes(builder, node)
  statements(builder, ast.body)
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
    requiredScopes,
  })
}

function collectTypes(builder: Builder, node: TSESTree.ProgramStatement): void {
  const declaration = node.type === 'ExportNamedDeclaration' && node.declaration ? node.declaration : node
  if (declaration.type === 'TSInterfaceDeclaration' || declaration.type === 'TSTypeAliasDeclaration') {
    builder.declaredTypes.set(declaration.id.name, declaration)
  }
  if (node.type !== 'ImportDeclaration' || node.source.value !== sdk) return
  for (const specifier of node.specifiers) builder.sdkTypes.add(specifier.local.name)
}

import type { Definition, Reference, Scope, ScopeManager, Variable } from '@typescript-eslint/scope-manager'
import type { TSESTree } from '@typescript-eslint/types'

/**
 * Takes from a file's scopes the names that esbuild erases with their declarations: after `declare const process: any`
 * the code that runs means the global, or the variable of an outer scope, and so does whoever looks the name up here.
 */
export function forgetErased({ scopes, globalScope }: ScopeManager, ast: TSESTree.Program): void {
  const erased = scopes.flatMap((scope) => {
    const shared = sharedDeclarations(scope)
    const isGone = (definition: Definition) => isErased(definition) && !shared.has(definition.parent)
    return scope.variables.filter(({ defs }) => defs.length > 0 && defs.every(isGone))
  })
  for (const { scope, name } of erased) scope.set.delete(name)
  const handedOn = wholeExports(ast)
  for (const variable of erased) {
    for (const reference of variable.references) {
      if (staysInCode(reference, variable, handedOn)) resolveOutside(reference, variable.scope, globalScope)
    }
  }
}

/** `export declare const a` in a namespace: `a` is a field of the namespace to esbuild, whoever fills it. */
function sharedDeclarations({ block }: Scope): ReadonlySet<unknown> {
  if (block.type !== 'TSModuleDeclaration') return new Set()
  const exported = (block.body?.body ?? []).flatMap((node) =>
    node.type === 'ExportNamedDeclaration' ? [node.declaration] : [],
  )
  return new Set(exported.filter((node) => node?.type === 'VariableDeclaration'))
}

function isErased(definition: Definition): boolean {
  switch (definition.type) {
    case 'Type':
      return true
    case 'Variable':
      return definition.parent.declare
    case 'ClassName':
    case 'TSEnumName':
      return definition.node.declare
    case 'FunctionName':
      return definition.node.type === 'TSDeclareFunction'
    case 'TSModuleName':
      return isErasedStatement(definition.node, false)
    case 'ImportBinding':
      return [definition.node, definition.parent].some((node) => 'importKind' in node && node.importKind === 'type')
    default:
      return false
  }
}

/** Whether a statement leaves nothing of itself where it stands in a namespace; one of such statements alone is erased too. */
function isErasedStatement(node: TSESTree.Node, exported: boolean): boolean {
  switch (node.type) {
    case 'TSInterfaceDeclaration':
    case 'TSTypeAliasDeclaration':
      return true
    case 'TSModuleDeclaration':
      return node.declare || node.body.body.every((inner) => isErasedStatement(inner, false))
    case 'VariableDeclaration':
    case 'ClassDeclaration':
    case 'TSEnumDeclaration':
      return node.declare && !exported
    case 'TSDeclareFunction':
      return !(node.declare && exported)
    case 'TSImportEqualsDeclaration':
      return !exported
    case 'ExportNamedDeclaration':
      return node.declaration === null || isErasedStatement(node.declaration, true)
    default:
      return false
  }
}

type WholeExport = TSESTree.ExportDefaultDeclaration | TSESTree.TSExportAssignment

/** What `export default` and `export =` hand on, which may be a type; of `export { … }` esbuild leaves out what it erases. */
function wholeExports({ body }: TSESTree.Program): ReadonlyMap<TSESTree.Node, WholeExport['type']> {
  return new Map(
    body.flatMap((node): [TSESTree.Node, WholeExport['type']][] => {
      if (node.type === 'ExportDefaultDeclaration') return [[node.declaration, node.type]]
      return node.type === 'TSExportAssignment' ? [[node.expression, node.type]] : []
    }),
  )
}

/** Whether the name still stands there when the code runs. What a declaration writes is erased with it. */
function staysInCode(
  reference: Reference,
  { defs }: Variable,
  handedOn: ReadonlyMap<TSESTree.Node, WholeExport['type']>,
): boolean {
  if (!reference.isValueReference || reference.init) return false
  if (!reference.isTypeReference) return true
  const by = handedOn.get(reference.identifier)
  return by === 'TSExportAssignment' || (by !== undefined && defs.every(({ type }) => type !== 'Type'))
}

/** As the scope manager resolves it when a scope ends. */
function resolveOutside(reference: Reference, inner: Scope, globalScope: Scope | null): void {
  reference.resolved = null
  for (let scope = inner.upper; scope; scope = scope.upper) {
    const variable = scope.set.get(reference.identifier.name)
    if (!variable?.isValueVariable || !(scope as unknown as Resolving).isValidResolution(reference, variable)) continue
    reference.resolved = variable
    variable.references.push(reference)
    return
  }
  globalScope?.through.push(reference)
}

/** The scope manager's own: a parameter's default value sees nothing of the function's body. */
type Resolving = { isValidResolution(reference: Reference, variable: Variable): boolean }

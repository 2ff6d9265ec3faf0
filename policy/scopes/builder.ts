import type { ScopeManager, Variable } from '@typescript-eslint/scope-manager'
import type { TSESTree } from '@typescript-eslint/types'
import type {
  ClassFacts,
  ExportFacts,
  FunctionFacts,
  ImportedType,
  ImportFacts,
  ReexportFacts,
  TypeFacts,
} from './facts.ts'
import { op, place } from './facts.ts'

export type Tree = TSESTree.Node

/**
 * The function whose body is being read: its result, `this`, and of a generator the list of what it yields. Depth 0 is the
 * module itself.
 */
export type Frame = {
  readonly result: number
  readonly self: number
  readonly parentClass: number
  readonly yielded: number
  readonly depth: number
}

/** The facts of one file while they are collected. */
export type Builder = {
  nodes: number
  readonly code: number[]
  readonly names: string[]
  readonly nameIndex: Map<string, number>
  readonly functions: FunctionFacts[]
  readonly classes: ClassFacts[]
  objects: number
  readonly imports: ImportFacts[]
  readonly exports: ExportFacts[]
  readonly reexports: ReexportFacts[]
  readonly specifiers: (readonly [string, number])[]
  readonly types: TypeFacts[]
  readonly requiredScopes: (readonly [string, number])[]
  readonly scopeManager: ScopeManager
  readonly variables: Map<Tree, Variable>
  readonly variableNodes: Map<Variable, number>
  readonly declaredTypes: Map<string, Tree>
  readonly sdkTypes: Set<string>
  readonly importedTypes: Map<string, ImportedType>
  readonly functionNodes: Map<Tree, number>
  frame: Frame
  /** In a long literal: the objects and lists made for its first entries, which stand for those of all others. */
  alike: { readonly made: Map<string, number>; next: number } | undefined
}

export function createBuilder(scopeManager: ScopeManager): Builder {
  const variables = new Map<Tree, Variable>()
  for (const scope of scopeManager.scopes) {
    for (const variable of scope.variables)
      for (const identifier of variable.identifiers) register(variables, identifier, variable)
    for (const reference of scope.references) {
      if (reference.resolved && reference.resolved.defs.length > 0)
        variables.set(reference.identifier, reference.resolved)
    }
  }
  return {
    nodes: 1,
    code: [],
    names: [],
    nameIndex: new Map(),
    functions: [],
    classes: [],
    objects: 0,
    imports: [],
    exports: [],
    reexports: [],
    specifiers: [],
    types: [],
    requiredScopes: [],
    scopeManager,
    variables,
    variableNodes: new Map(),
    declaredTypes: new Map(),
    sdkTypes: new Set(),
    importedTypes: new Map(),
    functionNodes: new Map(),
    frame: { result: 0, self: 0, parentClass: 0, yielded: 0, depth: 0 },
    alike: undefined,
  }
}

/** A class's name is a variable outside and another one inside; the outer one is what others see. */
function register(variables: Map<Tree, Variable>, identifier: Tree, variable: Variable): void {
  if (!variables.has(identifier)) variables.set(identifier, variable)
}

/** The variable by which a class knows itself. */
export function innerClassVariable(scopeManager: ScopeManager, node: Tree): Variable | undefined {
  return scopeManager.getDeclaredVariables(node as Parameters<ScopeManager['getDeclaredVariables']>[0]).at(-1)
}

export function newNode(builder: Builder): number {
  return builder.nodes++
}

export function nameOf(builder: Builder, name: string): number {
  const known = builder.nameIndex.get(name)
  if (known !== undefined) return known
  const index = builder.names.push(name) - 1
  builder.nameIndex.set(name, index)
  return index
}

export function at(node: Tree): number {
  return place(node.loc.start.line, node.loc.start.column + 1)
}

export function emit(builder: Builder, ...numbers: number[]): void {
  builder.code.push(...numbers)
}

export function copy(builder: Builder, from: number, to: number): void {
  if (from !== 0 && to !== 0 && from !== to) builder.code.push(op.copy, from, to)
}

const lastingScopes: ReadonlySet<string> = new Set(['module', 'global', 'tsModule'])

/** The node of a variable; made on first sight, so that order of declaration does not matter. */
export function variableNode(builder: Builder, variable: Variable): number {
  const known = builder.variableNodes.get(variable)
  if (known !== undefined) return known
  const node = newNode(builder)
  builder.variableNodes.set(variable, node)
  const definition = variable.defs[0]
  if (definition?.type === 'Variable' && lastingScopes.has(variable.scope.type)) {
    builder.code.push(op.lasting, node, at(definition.name))
  }
  return node
}

/** A value nothing is known of, as code from npm or data from outside. */
export function unknownNode(builder: Builder): number {
  const node = newNode(builder)
  builder.code.push(op.global, node, -1, 0)
  return node
}

import { isErased } from './erased-uses.ts'
import type { Node, Reference, RuleContext, Scope, TSESTree, Variable } from './lint-rule.ts'
import { staticText } from './static-text.ts'
import { findVariable } from './variables.ts'

/** One use of a global, found through every alias: `path` is `eval`, `process.env`, `globalThis.[?]` for a computed name. */
export type GlobalUse = { readonly path: string; readonly node: Node; readonly parent: Node | undefined }

export const unknownMember = '[?]'
const globalObjects = new Set(['globalThis', 'self', 'window', 'global', 'frames'])
/** Of a longer path only the first name is told: `at = at.next` would otherwise go on for ever. */
const longer = '…'
const longestPath = 4
const cache = new WeakMap<TSESTree.Program, GlobalUse[]>()

/**
 * Every use of a global in the file. It starts at the names nothing in the file declares, which are few, and follows each
 * upwards through members, aliases, destructuring, defaults, `(0, eval)`, `valueOf` and `Reflect.get`.
 */
export function globalUses(context: RuleContext): readonly GlobalUse[] {
  const { ast, scopeManager } = context.sourceCode
  const known = cache.get(ast)
  if (known) return known
  const uses: GlobalUse[] = []
  const follower: Follower = { context, uses, seen: new Set(), waiting: [] }
  for (const reference of undeclared(scopeManager.globalScope)) {
    if (reference.isValueReference) {
      const { name } = reference.identifier as TSESTree.Identifier
      follow(follower, reference.identifier, globalObjects.has(name) ? 'globalThis' : name)
    }
  }
  for (let next = follower.waiting.pop(); next; next = follower.waiting.pop()) visit(follower, ...next)
  cache.set(ast, uses)
  return uses
}

/** Every use of a name that nothing in the file declares, where the code runs. ESLint moves references to the language's own globals from `through` to variables that have no definition. */
export function undeclared(global: Scope | null): Reference[] {
  if (!global) return []
  const builtins = global.variables.filter((variable) => variable.defs.length === 0)
  const references = [...global.through, ...builtins.flatMap((variable) => variable.references)]
  return references.filter(({ identifier }) => !isErased(identifier, global.block as TSESTree.Program))
}

type Follower = {
  readonly context: RuleContext
  readonly uses: GlobalUse[]
  readonly seen: Set<string>
  readonly waiting: [node: Node, path: string][]
}

function follow(follower: Follower, node: Node, path: string): void {
  // `globalThis?.eval` is two nodes of one range: the member, and the chain around it.
  const key = `${node.type}:${node.range[0]}:${node.range[1]}:${path}`
  if (follower.seen.has(key)) return
  follower.seen.add(key)
  follower.waiting.push([node, path])
}

function visit(follower: Follower, node: Node, path: string): void {
  const { parent } = node
  if (parent && followParent(follower, node, parent, path)) return
  follower.uses.push({ path, node, parent })
}

/** True where the value goes on as something else, so that this is no use yet. */
function followParent(follower: Follower, node: Node, parent: Node, path: string): boolean {
  switch (parent.type) {
    case 'MemberExpression': {
      if (parent.object !== node) return false
      follow(follower, parent, member(path, memberName(parent, scopeOf(follower, parent))))
      return true
    }
    case 'ChainExpression':
    case 'TSAsExpression':
    case 'TSNonNullExpression':
    case 'TSSatisfiesExpression':
    case 'TSTypeAssertion':
    case 'TSInstantiationExpression':
      follow(follower, parent, path)
      return true
    case 'LogicalExpression':
      if (isTested(node, parent)) return false
      follow(follower, parent, path)
      return true
    case 'ConditionalExpression':
      if (parent.test === node) return false
      follow(follower, parent, path)
      return true
    case 'SequenceExpression':
      if (parent.expressions.at(-1) !== node) return true
      follow(follower, parent, path)
      return true
    case 'VariableDeclarator':
      return parent.init === node && followPattern(follower, parent.id, path)
    case 'AssignmentPattern':
      return parent.right === node && followPattern(follower, parent.left, path)
    case 'AssignmentExpression': {
      if (parent.right !== node) return false
      const held = followPattern(follower, parent.left, path)
      if (hasUse(parent)) follow(follower, parent, path)
      return held
    }
    case 'CallExpression':
      if (parent.callee === node) return followItself(follower, parent, path)
      return followReflectGet(follower, node, parent, path)
    case 'TaggedTemplateExpression':
      return followItself(follower, parent, path)
    default:
      return false
  }
}

/** `send(x = fetch)`: an assignment is its value too, but as a statement, or a step of a loop. */
function hasUse({ parent }: TSESTree.AssignmentExpression): boolean {
  return parent.type !== 'ExpressionStatement' && parent.type !== 'ForStatement'
}

function followPattern(follower: Follower, pattern: Node, path: string): boolean {
  if (pattern.type === 'Identifier') {
    const { ast } = follower.context.sourceCode
    const variable = findVariable(pattern.name, scopeOf(follower, pattern))
    for (const reference of variable?.references ?? []) {
      const { identifier } = reference
      if (reference.isRead() && identifier !== pattern && !isErased(identifier, ast)) follow(follower, identifier, path)
    }
    return variable !== undefined && !isExported(variable)
  }
  if (pattern.type !== 'ObjectPattern') return false
  let whole = true
  for (const property of pattern.properties) {
    if (property.type !== 'Property') {
      whole = false
      continue
    }
    const name = property.computed
      ? staticText(property.key, scopeOf(follower, property))
      : property.key.type === 'Identifier'
        ? property.key.name
        : staticText(property.key, scopeOf(follower, property))
    const inner = member(path, name)
    const value = property.value.type === 'AssignmentPattern' ? property.value.left : property.value
    follower.uses.push({ path: inner, node: property, parent: pattern })
    followPattern(follower, value, inner)
  }
  return whole
}

/** `export const g = globalThis`: what other files do with it is not seen here. `export { g }` reads it. */
function isExported({ defs }: Variable): boolean {
  return defs.some(({ parent }) => parent?.parent?.type === 'ExportNamedDeclaration')
}

/** `globalThis.valueOf()` is the global object itself. */
function followItself(follower: Follower, call: Node, path: string): boolean {
  if (path !== 'valueOf') return false
  follow(follower, call, 'globalThis')
  return true
}

function followReflectGet(follower: Follower, node: Node, call: TSESTree.CallExpression, path: string): boolean {
  const { callee } = call
  const key = call.arguments[1]
  if (call.arguments[0] !== node || !key || callee.type !== 'MemberExpression') return false
  if (callee.object.type !== 'Identifier' || callee.object.name !== 'Reflect') return false
  if (memberName(callee, scopeOf(follower, callee)) !== 'get') return false
  follow(follower, call, member(path, staticText(key, scopeOf(follower, call))))
  return true
}

/** The property a member expression names, where that can be told. */
export function memberName(node: TSESTree.MemberExpression, scope: Scope): string | undefined {
  if (!node.computed) return node.property.type === 'Identifier' ? node.property.name : undefined
  return staticText(node.property, scope)
}

function member(object: string, name: string | undefined): string {
  const property = name ?? unknownMember
  const names = object.split('.')
  if (names.length >= longestPath || names[1] === longer) return `${names[0]}.${longer}`
  if (object !== 'globalThis') return `${object}.${property}`
  if (globalObjects.has(property)) return 'globalThis'
  return name === undefined ? `globalThis.${unknownMember}` : property
}

function scopeOf(follower: Follower, node: Node): Scope {
  return follower.context.sourceCode.getScope(node)
}

/**
 * Whether the use only asks if the global is there, and its value goes nowhere: by its kind, `!process`, a test, `process &&`,
 * `process !== undefined`. What asks for a part of it (`process.env.KEY`) tells what is in it, so it is more than a question.
 */
export function onlyAsks(use: GlobalUse): boolean {
  return asksForKind(use) || (!use.path.includes('.') && isTruthAsked(use))
}

/** `typeof process`, `x instanceof Function`. */
export function asksForKind({ node, parent }: GlobalUse): boolean {
  if (parent?.type === 'UnaryExpression' && parent.operator === 'typeof') return true
  return parent?.type === 'BinaryExpression' && parent.operator === 'instanceof' && parent.right === node
}

function isTruthAsked({ node, parent }: GlobalUse): boolean {
  switch (parent?.type) {
    case 'UnaryExpression':
      return parent.operator === '!'
    case 'LogicalExpression':
      return isTested(node, parent)
    case 'BinaryExpression':
      return /^[=!]==?$/.test(parent.operator) && isNothing(parent.left === node ? parent.right : parent.left)
    case 'ConditionalExpression':
    case 'IfStatement':
    case 'WhileStatement':
    case 'DoWhileStatement':
    case 'ForStatement':
      return parent.test === node
    default:
      return false
  }
}

/** On the left of `&&` a value decides, and goes on only where it is as good as nothing. */
function isTested(node: Node, { operator, left }: TSESTree.LogicalExpression): boolean {
  return operator === '&&' && left === node
}

function isNothing(node: Node): boolean {
  if (node.type === 'Identifier') return node.name === 'undefined'
  if (node.type === 'UnaryExpression') return node.operator === 'void'
  return node.type === 'Literal' && node.value === null && node.raw === 'null'
}

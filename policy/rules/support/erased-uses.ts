import type { Node, TSESTree } from './lint-rule.ts'

/** Whether it stands in what esbuild erases: in `typeof name` as a type, in a class or a namespace that is only declared. */
export function isErased(node: Node, ast: TSESTree.Program): boolean {
  // ESLint does not go to where only types stand, nor to decorators: nothing there has a parent.
  if (!node.parent)
    return typeQueries(ast).some(({ range: [from, to] }) => from <= node.range[0] && node.range[1] <= to)
  for (let around: Node | undefined = node; around; around = around.parent) {
    if (around.type === 'TSTypeQuery') return true
    if ((around.type === 'ClassDeclaration' || around.type === 'TSModuleDeclaration') && around.declare) return true
  }
  return false
}

const known = new WeakMap<TSESTree.Program, Node[]>()

/** Every `typeof name` of a file that is a type. */
function typeQueries(ast: TSESTree.Program): Node[] {
  const before = known.get(ast)
  if (before) return before
  const found: Node[] = []
  const waiting: unknown[] = [ast.body]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (Array.isArray(next)) for (const item of next) if (item) waiting.push(item)
    if (!isNode(next)) continue
    if (next.type === 'TSTypeQuery') found.push(next)
    for (const [key, value] of Object.entries(next))
      if (key !== 'parent' && typeof value === 'object' && value) waiting.push(value)
  }
  known.set(ast, found)
  return found
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value

import type { Fields } from './ast.ts'
import { unwrap } from './ast.ts'
import type { GuardContext, NodeRules } from './guard-context.ts'
import { nodeMends } from './mends.ts'
import { bareFields, dataNodes, definitionNodes, leafNodes } from './node-lists.ts'
import { locationOf } from './ast.ts'
import { refuse } from './refused.ts'
import { dataRules } from './rules/data.ts'
import { definitionRules } from './rules/definitions.ts'
import { expressionRules } from './rules/expressions.ts'

const maxNodes = 20_000
/** Deeper trees are nobody's work, and would overflow the stack of whatever walks them next, the server included. */
const maxDepth = 500
const rules: NodeRules = Object.assign(Object.create(null), expressionRules, dataRules, definitionRules)

function bareType(field: string): string | undefined {
  return Object.hasOwn(bareFields, field) ? bareFields[field] : undefined
}

/** Visits every node of a statement; throws Refused at the first one that is not allowed where it stands. */
export function walkStatement(type: string, fields: Fields, context: GuardContext): void {
  const allowed = context.isData ? dataNodes : definitionNodes
  let visited = 0
  let depth = 0

  function visit(nodeType: string, node: Fields): void {
    visited += 1
    if (visited > maxNodes) refuse('nodes', `a statement of more than ${maxNodes} parts`)
    if (!allowed.has(nodeType)) {
      const { what, mend } = nodeMends[nodeType] ?? { what: nodeType, mend: undefined }
      refuse('node', `${what} is not allowed`, locationOf(node), mend)
    }
    rules[nodeType]?.(node, context)
    if (leafNodes.has(nodeType)) return
    depth += 1
    if (depth > maxDepth) refuse('depth', `a statement nested more than ${maxDepth} deep`, locationOf(node))
    for (const field in node) {
      const value = node[field]
      if (typeof value === 'object' && value !== null) visitField(nodeType, field, value)
    }
    depth -= 1
  }

  function visitField(parent: string, field: string, value: object): void {
    if (Array.isArray(value)) {
      for (const item of value) if (typeof item === 'object' && item !== null) visitField(parent, field, item)
      return
    }
    const wrapped = unwrap(value)
    if (wrapped) {
      visit(wrapped[0], wrapped[1])
      return
    }
    if (Object.keys(value).length === 0) return
    const bare = bareType(field) ?? bareType(`${parent}.${field}`)
    if (bare === undefined) refuse('unknown_field', `${parent}.${field} is not known to the guard`)
    visit(bare, value as Fields)
  }

  visit(type, fields)
}

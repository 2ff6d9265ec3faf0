import type { Node, RuleContext, TextEdit } from './lint-rule.ts'
import { findVariable } from './variables.ts'

type Fix = NonNullable<Parameters<RuleContext['report']>[0]['fix']>

/** Puts a tag before a template, where the file already imports the tag; otherwise the author has to choose. */
export function tagFix(context: RuleContext, node: Node, tag: 'html' | 'sql'): { fix?: Fix } {
  if (node.type !== 'TemplateLiteral' || !findVariable(tag, context.sourceCode.getScope(node))) return {}
  const start: readonly [number, number] = [node.range[0], node.range[0]]
  return { fix: (fixer): TextEdit => fixer.replaceTextRange(start, tag) }
}

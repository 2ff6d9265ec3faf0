import path from 'node:path'
import type { LintRule, Node, RuleContext, RuleListener, TSESTree } from './lint-rule.ts'
import { staticText } from './static-text.ts'

/** Every specifier a file imports, re-exports or requires, whatever the form, handed to `check` with its node. */
export function importListener(
  context: Parameters<LintRule['create']>[0],
  check: (specifier: string, node: Node) => void,
): RuleListener {
  const declared = (
    node: TSESTree.ImportDeclaration | TSESTree.ExportAllDeclaration | TSESTree.ExportNamedDeclaration,
  ) => {
    if (node.source) check(node.source.value, node.source)
  }
  return {
    ImportDeclaration: declared,
    ExportAllDeclaration: declared,
    ExportNamedDeclaration: declared,
    ImportExpression(node) {
      const text = staticText(node.source, context.sourceCode.getScope(node))
      if (text !== undefined) check(text, node)
    },
    TSImportEqualsDeclaration(node) {
      const { moduleReference } = node
      if (moduleReference.type === 'TSExternalModuleReference' && moduleReference.expression.type === 'Literal') {
        check(String(moduleReference.expression.value), node)
      }
    },
    CallExpression(node) {
      if (node.callee.type !== 'Identifier' || node.callee.name !== 'require' || !node.arguments[0]) return
      const text = staticText(node.arguments[0], context.sourceCode.getScope(node))
      if (text !== undefined) check(text, node)
    },
  }
}

/**
 * Whether a path leads out of the module's folder. File names reach the rules relative to it, so one that climbs above it
 * starts with `..`; an editor's are absolute, and say nothing of it.
 */
export function leavesModule({ filename }: RuleContext, specifier: string): boolean {
  if (specifier.startsWith('/')) return true
  if (!specifier.startsWith('.') || path.isAbsolute(filename)) return false
  return path.posix.join(path.posix.dirname(filename), specifier).startsWith('..')
}

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these texts are about templates, or are modules' source
import type { LintRule, Node, RuleContext } from './support/lint-rule.ts'
import { tagFix } from './support/tag-fix.ts'

const statement =
  /^\s*(select\s.+\sfrom\s|insert\s+into\s|update\s+\S+\s+set\s|delete\s+from\s|with\s+\S+\s+as\s*\(|alter\s+table\s|create\s+table\s|drop\s+table\s)/is

/** `Select a book from …` for a reader: one capital letter, and none of the marks that statements have and labels lack. */
const sentence = /^\s*[A-Z][a-z]+\s[^*=;]*$/
const isStatement = (text: string): boolean => statement.test(text) && !sentence.test(text)

/** A value inside the text of a statement can end it and start another; through the `sql` tag values bind. */
export const sqlConcatenation: LintRule = {
  files: ['own'],
  fixable: true,
  create(context) {
    return {
      TemplateLiteral(node) {
        if (node.parent.type === 'TaggedTemplateExpression' || node.expressions.length === 0) return
        if (isStatement(node.quasis.map((quasi) => quasi.value.raw).join(' x '))) report(context, node)
      },
      BinaryExpression(node) {
        if (node.operator !== '+' || isConcatenation(node.parent)) return
        const text = leftmostText(node)
        if (text !== undefined && isStatement(`${text} x `)) report(context, node)
      },
    }
  },
}

function isConcatenation(node: Node): boolean {
  return node.type === 'BinaryExpression' && node.operator === '+'
}

function leftmostText(node: Node): string | undefined {
  let current: Node = node
  while (current.type === 'BinaryExpression') current = current.left
  return current.type === 'Literal' && typeof current.value === 'string' ? current.value : undefined
}

function report(context: RuleContext, node: Node): void {
  context.report({
    node,
    ...tagFix(context, node, 'sql'),
    message: 'SQL built from text: a value can change the statement. Write sql`…${value}…`: values bind.',
  })
}

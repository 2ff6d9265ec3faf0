// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these texts are about templates, or are modules' source
import type { LintRule, Node, RuleContext } from './support/lint-rule.ts'
import { tagFix } from './support/tag-fix.ts'

const markup = /<\/?[a-z][a-z0-9-]*(\s[^<>]*)?\/?>|<[a-z][a-z0-9-]*\s+[a-z-]+\s*=/i
const sqlOrOther = 'TaggedTemplateExpression'

/** HTML put together from text is escaped by nobody: a student's name could carry a script into every page. */
export const htmlOutsideTag: LintRule = {
  files: ['own'],
  fixable: true,
  create(context) {
    return {
      TemplateLiteral(node) {
        if (node.parent.type === sqlOrOther || node.expressions.length === 0) return
        if (markup.test(node.quasis.map((quasi) => quasi.value.raw).join('0'))) report(context, node)
      },
      BinaryExpression(node) {
        if (node.operator !== '+') return
        const sides: Node[] = [node.left, node.right]
        if (sides.some(isMarkup) && !sides.every(isPlainText)) report(context, node)
      },
    }
  },
}

function isMarkup(node: Node): boolean {
  return node.type === 'Literal' && typeof node.value === 'string' && markup.test(node.value)
}

function isPlainText(node: Node): boolean {
  return node.type === 'Literal'
}

function report(context: RuleContext, node: Node): void {
  context.report({
    node,
    ...tagFix(context, node, 'html'),
    message: 'HTML built from text is not escaped. Write html`…`: every ${} in it is escaped for you.',
  })
}

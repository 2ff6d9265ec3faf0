// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these texts are about templates, or are modules' source
import type { LintRule, Node, RuleContext } from './support/lint-rule.ts'
import { tagFix } from './support/tag-fix.ts'

/**
 * The elements of HTML, those gone out of use included. Another name alone between angle brackets does nothing in a page, and
 * stands in many a sentence: `/loans/<id>`, `Array<number>`. With anything behind it, or a hyphen in it, it may do something.
 */
const elements =
  'a|abbr|acronym|address|applet|area|article|aside|audio|b|base|basefont|bdi|bdo|bgsound|big|blink|blockquote|body|br|button|canvas|caption|center|cite|code|col|colgroup|data|datalist|dd|del|details|dfn|dialog|dir|div|dl|dt|em|embed|fieldset|figcaption|figure|font|footer|form|frame|frameset|h[1-6]|head|header|hgroup|hr|html|i|iframe|image|img|input|ins|isindex|kbd|keygen|label|legend|li|link|listing|main|map|mark|marquee|math|menu|meta|meter|nav|nobr|noembed|noframes|noscript|object|ol|optgroup|option|output|p|param|picture|plaintext|portal|pre|progress|q|rp|rt|ruby|s|samp|script|search|section|select|selectedcontent|slot|small|source|span|strike|strong|style|sub|summary|sup|svg|table|tbody|td|template|textarea|tfoot|th|thead|time|title|tr|track|tt|u|ul|var|video|wbr|xmp'
const markup = new RegExp(
  [
    `</?(${elements}|[a-z][a-z0-9]*-[a-z0-9-]*)/?>`,
    '</?[a-z][a-z0-9-]*[\\s/][^<>]*>',
    '<[a-z][a-z0-9-]*\\s+[a-z-]+\\s*=',
  ].join('|'),
  'i',
)
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

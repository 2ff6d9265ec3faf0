import { globalUses, memberName } from './support/globals.ts'
import type { LintRule, Node, RuleContext } from './support/lint-rule.ts'
import { staticText } from './support/static-text.ts'

const frames = '(?:(?:globalThis|document|defaultView|top|parent|opener)\\.)*'
const ways = 'location(?:\\.(?:href|assign|replace))?|open|navigation\\.navigate|history\\.(?:pushState|replaceState)'
const navigations = new RegExp(`^${frames}(?:${ways})$`)

/** Mobile screens stay inside `mobile/`: what they link to is part of the reviewed bundle. */
export const mobileLink: LintRule = {
  files: ['mobile'],
  create(context) {
    const checked = new Set<Node>()
    const check = (target: Node | undefined) => {
      if (target && !checked.has(target)) checkTarget(context, target)
      if (target) checked.add(target)
    }
    return {
      Program() {
        for (const { path, node, parent } of globalUses(context)) {
          if (navigations.test(path)) check(navigationTarget(path, node, parent))
        }
      },
      MemberExpression(node) {
        const scope = context.sourceCode.getScope(node)
        const name = memberName(node, scope)
        if (name === 'location' && isWindow(node.object)) check(locationTarget(context, node))
        // Of any element; what is not known may well stay inside.
        const given = name === 'href' || name === 'src' ? navigationTarget(name, node, node.parent) : undefined
        const text = given && staticText(given, scope)
        if (text !== undefined && !text.startsWith('data:image/')) check(given)
      },
    }
  },
}

const places = ['https://one.invalid/one/', 'https://two.invalid/two/']

/**
 * Whether a link of a file under `mobile/` leads out of that folder. Fragments, queries and relative paths may stay: those
 * that lead into it wherever it may lie. Browsers drop tabs and line breaks, and take `\` for `/` and `%2e` for `.`.
 */
export function leavesMobile(target: string, file: string): boolean {
  return places.some((place) => {
    const page = place + file.split('/').map(encodeURIComponent).join('/')
    return URL.parse(target, page)?.href.startsWith(`${place}mobile/`) !== true
  })
}

/** Outside of classes, whose instances may have a location, `this` is the window in most functions that are called. */
function isWindow(node: Node): boolean {
  if (node.type !== 'ThisExpression') return false
  for (let at: Node | undefined = node; at; at = at.parent) if (at.type === 'ClassBody') return false
  return true
}

/** What `this.location`, or one of its members, is set to or called with. */
function locationTarget(context: RuleContext, node: Node): Node | undefined {
  const { parent } = node
  if (parent?.type !== 'MemberExpression' || parent.object !== node) return navigationTarget('location', node, parent)
  const path = `location.${memberName(parent, context.sourceCode.getScope(parent))}`
  return navigations.test(path) ? navigationTarget(path, parent, parent.parent) : undefined
}

function checkTarget(context: RuleContext, target: Node): void {
  const text = staticText(target, context.sourceCode.getScope(target))
  if (text !== undefined && !leavesMobile(text, context.filename)) return
  const what = text === undefined ? 'a target made at run time' : `\`${text}\``
  context.report({
    node: target,
    message: `This leads to ${what}, outside \`mobile/\`. Link to a page inside \`mobile/\` by a relative path.`,
  })
}

function navigationTarget(path: string, node: Node, parent: Node | undefined): Node | undefined {
  if (parent?.type === 'AssignmentExpression' && parent.left === node) return parent.right
  if (parent?.type !== 'CallExpression' || parent.callee !== node) return undefined
  return /\bhistory\.\w+$/.test(path) ? parent.arguments[2] : parent.arguments[0]
}

import { globalUses } from './support/globals.ts'
import type { LintRule, Node, RuleContext } from './support/lint-rule.ts'
import { staticText } from './support/static-text.ts'

const navigations =
  /^(location|document\.location|globalThis\.location)(\.(href|assign|replace))?$|^(open|history\.(pushState|replaceState))$/

/** Mobile screens stay inside `mobile/`: what they link to is part of the reviewed bundle. */
export const mobileLink: LintRule = {
  files: ['mobile'],
  create(context) {
    return {
      Program() {
        for (const use of globalUses(context)) {
          if (navigations.test(use.path)) checkNavigation(context, use.path, use.node, use.parent)
        }
      },
    }
  },
}

/** Whether a link of a file under `mobile/` leads out of that folder. Fragments, queries and relative paths may stay. */
export function leavesMobile(target: string, file: string): boolean {
  const link = target.trim().split('\\').join('/')
  if (link === '' || link.startsWith('#') || link.startsWith('?')) return false
  if (/^[a-z][a-z0-9+.-]*:/i.test(link) || link.startsWith('/')) return true
  const parts = `${file.split('/').slice(0, -1).join('/')}/${link.split(/[?#]/)[0]}`.split('/')
  const stack: string[] = []
  for (const part of parts) {
    if (part === '..') stack.pop()
    else if (part !== '.' && part !== '') stack.push(part)
    if (stack[0] !== 'mobile') return true
  }
  return false
}

function checkNavigation(context: RuleContext, path: string, node: Node, parent: Node | undefined): void {
  const target = navigationTarget(path, node, parent)
  if (!target) return
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
  return path.startsWith('history.') ? parent.arguments[2] : parent.arguments[0]
}

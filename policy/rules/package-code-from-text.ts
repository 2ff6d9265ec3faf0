import { leadsToFunction, makesFunctions } from './support/code-makers.ts'
import { globalUses, memberName } from './support/globals.ts'
import type { LintRule, Node, RuleContext } from './support/lint-rule.ts'
import { whenCodeFails } from './support/package-code.ts'

/** A part of an npm package that makes code from text fails in an isolate; the rest of the package works. */
export const packageCodeFromText: LintRule = {
  files: ['dependency'],
  create(context) {
    return {
      Program() {
        for (const use of globalUses(context)) if (makesFunctions(use)) check(context, use.node)
      },
      MemberExpression(node) {
        const name = memberName(node, context.sourceCode.getScope(node))
        if (name === 'constructor' && leadsToFunction(node.object)) check(context, node)
      },
    }
  },
}

function check(context: RuleContext, node: Node): void {
  if (whenCodeFails(node) !== 'when_called') return
  const message =
    'What this function makes from text is refused in an isolate (EvalError). Test what you use of this library: choose ' +
    'another one if it needs this function.'
  context.report({ node, message })
}

import { givenToFile } from './support/common-js.ts'
import { undeclared } from './support/globals.ts'
import type { LintRule } from './support/lint-rule.ts'

/** A global of the isolate outlives the request: all users of the school share it. */
export const undeclaredWrite: LintRule = {
  files: ['own'],
  create(context) {
    return {
      Program() {
        const given = givenToFile(context)
        for (const reference of undeclared(context.sourceCode.scopeManager.globalScope)) {
          if (!reference.isWrite()) continue
          const node = reference.identifier
          const name = context.sourceCode.getText(node)
          if (given.includes(name)) continue
          const message = `\`${name}\` is declared nowhere in this file. Declare it with const or let where it is used.`
          context.report({ node, message })
        }
      },
    }
  },
}

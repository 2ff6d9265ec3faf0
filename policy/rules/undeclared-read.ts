import { forbidden as codeMakers } from './dynamic-code.ts'
import { forbidden as environments } from './environment.ts'
import { forbidden as connections } from './network.ts'
import { givenToFile } from './support/common-js.ts'
import { type GlobalUse, undeclared } from './support/globals.ts'
import { isolateGlobals } from './support/isolate-globals.ts'
import type { LintRule, RuleContext } from './support/lint-rule.ts'
import { worksWithout } from './support/package-code.ts'

/** What other rules refuse by name, and what the bundle puts something else for. */
const elsewhere = new Set([...codeMakers, ...connections, ...environments, 'require', 'self', 'global'])

/** Browsers and Node have globals that an isolate has not: the code fails there, and only when it runs. */
export const undeclaredRead: LintRule = {
  files: ['own'],
  create(context) {
    return {
      Program() {
        const uses = reads(context)
        const goesWithout = worksWithout(uses)
        const given = givenToFile(context)
        for (const use of uses) {
          const name = use.path
          if (isolateGlobals.has(name) || elsewhere.has(name) || given.includes(name)) continue
          if (goesWithout(use)) continue
          const message = `\`${name}\` is declared nowhere in this file, and an isolate has no global of this name. Declare or import it, or do without.`
          context.report({ node: use.node, message })
        }
      },
    }
  },
}

function reads({ sourceCode }: RuleContext): GlobalUse[] {
  return undeclared(sourceCode.scopeManager.globalScope).flatMap((reference) => {
    const { identifier, isValueReference } = reference
    if (!isValueReference || !reference.isReadOnly() || (identifier.parent && ofTypes.has(identifier.parent.type)))
      return []
    return [{ path: sourceCode.getText(identifier), node: identifier, parent: identifier.parent }]
  })
}

/** Where esbuild may erase a name: `import now = performance.now` of a type, and `export { name }` of what nothing declares. */
const ofTypes: ReadonlySet<string> = new Set(['TSQualifiedName', 'ExportSpecifier'])

import { undeclared } from './support/globals.ts'
import type { LintRule, RuleContext, TSESTree } from './support/lint-rule.ts'

/** A global of the isolate outlives the request: all users of the school share it. */
export const undeclaredWrite: LintRule = {
  files: ['own'],
  create(context) {
    return {
      Program() {
        const given = isCommonJs(context) ? givenByCommonJs : []
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

/** Variables of the function that esbuild makes of a CommonJS file. */
const givenByCommonJs = ['exports', 'module']

/** esbuild takes a file that names one of them for CommonJS, unless it exports as an ES module does or its ending says that it is one. */
function isCommonJs({ filename, sourceCode: { ast } }: RuleContext): boolean {
  return !/\.m[jt]s(\.[jt]s)?$/.test(filename) && !ast.body.some(exportsAsModule)
}

const exportsAsModule = ({ type }: TSESTree.ProgramStatement): boolean =>
  [
    'ExportNamedDeclaration',
    'ExportDefaultDeclaration',
    'ExportAllDeclaration',
    'TSNamespaceExportDeclaration',
  ].includes(type)

import { isBuiltin as isBuiltinOfNode } from 'node:module'
import { importListener } from './support/imports.ts'
import { fileKindOf, type LintRule } from './support/lint-rule.ts'

/** `punycode/` is a package: so Node itself and the bundle tell the two apart. */
export function isBuiltin(specifier: string): boolean {
  return specifier.startsWith('node:') || isBuiltinOfNode(specifier)
}

/** An isolate has no Node: no files, no sockets, no processes. */
export const nodeBuiltin: LintRule = {
  files: ['own', 'dependency'],
  create(context) {
    return importListener(context, (specifier, node) => {
      if (!isBuiltin(specifier) || context.settings.replaced?.includes(specifier)) return
      const mend =
        fileKindOf(context) === 'dependency'
          ? 'Choose a library written for browsers.'
          : 'Use the context (`db`, `fetch`, `log`), the language itself, or a pure JavaScript library.'
      context.report({ node, message: `\`${specifier}\` is a part of Node, which an isolate does not have. ${mend}` })
    })
  },
}

import { importListener, leavesModule } from './support/imports.ts'
import type { LintRule } from './support/lint-rule.ts'

/** A module is its own folder: another module's files, and anything else outside, belong to somebody else. */
export const moduleImport: LintRule = {
  files: ['own'],
  create(context) {
    return importListener(context, (specifier, node) => {
      if (!leavesModule(context, specifier) && !isAddress(specifier)) return
      context.report({
        node,
        message: `\`${specifier}\` lies outside this module's folder. Copy what you need into it, or publish it to npm.`,
      })
    })
  },
}

/** `data:` is one too: its code stands in no file that the scan reads. Of the platform `node:` is another rule's. */
function isAddress(specifier: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(specifier) && !specifier.startsWith('node:')
}

import path from 'node:path'
import { importListener } from './support/imports.ts'
import type { LintRule, RuleContext } from './support/lint-rule.ts'

/** A module is its own folder: another module's files, and anything else outside, belong to somebody else. */
export const moduleImport: LintRule = {
  files: ['own'],
  create(context) {
    return importListener(context, (specifier, node) => {
      if (!leavesFolder(context, specifier)) return
      context.report({
        node,
        message: `\`${specifier}\` lies outside this module's folder. Copy what you need into it, or publish it to npm.`,
      })
    })
  },
}

/** File names reach the rules relative to the module's folder, so a path that climbs above it starts with `..`. */
function leavesFolder(context: RuleContext, specifier: string): boolean {
  if (specifier.startsWith('/') || isAddress(specifier)) return true
  if (!specifier.startsWith('.') || path.isAbsolute(context.filename)) return false
  return path.posix.normalize(path.posix.join(path.posix.dirname(context.filename), specifier)).startsWith('..')
}

/** `data:` is one too: its code stands in no file that the scan reads. Of the platform `node:` is another rule's. */
function isAddress(specifier: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(specifier) && !specifier.startsWith('node:')
}

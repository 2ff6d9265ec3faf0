import { importListener, leavesModule } from './support/imports.ts'
import type { LintRule } from './support/lint-rule.ts'

const platformPath = /(^|\/)(host|partner-services|policy)(\/|$)/
const forbiddenSdkParts = /^@partner\/sdk\/(?!testing$)/

/** Platform models and services other than the partner service layer stay out of reach. */
export const platformImport: LintRule = {
  files: ['own', 'dependency'],
  create(context) {
    return importListener(context, (specifier, node) => {
      if (specifier === '@partner/sdk') return
      // A module may well have a folder of its own called `host`.
      const outward = platformPath.test(specifier) && leavesModule(context, specifier)
      if (specifier.startsWith('@partner/') || outward) {
        const inner = forbiddenSdkParts.test(specifier) ? 'an inner part of the SDK' : "the platform's own code"
        context.report({
          node,
          message: `\`${specifier}\` is ${inner}. Import from '@partner/sdk', and reach the platform through \`services\` of the context.`,
        })
      }
    })
  },
}

import { importListener } from './support/imports.ts'
import type { LintRule } from './support/lint-rule.ts'

const environmentFile = /(^|\/)\.env(\.|$)|^(dotenv(-\w+)?|config)(\/|$)/

/** Environment and configuration files hold somebody's secrets, and a bundle would carry them to every school. */
export const environmentFileRule: LintRule = {
  files: ['own', 'dependency'],
  create(context) {
    return importListener(context, (specifier, node) => {
      if (!environmentFile.test(specifier)) return
      context.report({
        node,
        message: `\`${specifier}\` reads an environment or configuration file. Declare a setting in the manifest's \`settings_schema\` and read it from \`settings\`.`,
      })
    })
  },
}

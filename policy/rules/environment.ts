import { globalUses, onlyAsks } from './support/globals.ts'
import { fileKindOf, type LintRule, otherLibrary, type RuleContext } from './support/lint-rule.ts'
import { rootOf, worksWithout } from './support/package-code.ts'

export const forbidden = new Set(['process', 'Deno', 'Bun', '__dirname', '__filename'])
const mend = 'Declare a setting in `settings_schema` of the manifest and read it from `settings` of the context.'

/** The platform's environment, configuration and process are not the module's to see. */
export const environment: LintRule = {
  files: ['own', 'dependency'],
  create(context) {
    return {
      Program() {
        const uses = globalUses(context)
        const goesWithout = fileKindOf(context) === 'dependency' ? worksWithout(uses) : () => false
        for (const use of uses) {
          if (!forbidden.has(rootOf(use)) || onlyAsks(use) || goesWithout(use)) continue
          if (fileKindOf(context) === 'dependency' && use.path === 'process.env.NODE_ENV') continue
          context.report({
            node: use.node,
            message: `\`${use.path}\` is the platform's environment. ${mendOf(context)}`,
          })
        }
      },
      MetaProperty(node) {
        const { parent } = node
        if (node.meta.name !== 'import' || parent.type !== 'MemberExpression') return
        if (isMeta(parent.property, ['env', 'dirname', 'filename', 'resolve'])) reportMeta(context, node)
      },
    }
  },
}

const mendOf = (context: RuleContext): string => (fileKindOf(context) === 'dependency' ? otherLibrary : mend)

function isMeta(property: { type: string; name?: string }, names: readonly string[]): boolean {
  return property.type === 'Identifier' && property.name !== undefined && names.includes(property.name)
}

function reportMeta(context: RuleContext, node: Parameters<RuleContext['report']>[0]['node']): void {
  context.report({ node, message: `import.meta tells of the platform's files and environment. ${mendOf(context)}` })
}

import type { ESLint, Rule } from 'eslint'
import { rules } from './index.ts'

/** The rules that look at one file, as an ESLint plugin: an editor shows the same findings as the scan. */
export function policyPlugin(): ESLint.Plugin {
  const entries = Object.entries(rules).flatMap(([id, entry]): [string, Rule.RuleModule][] => {
    const lint = 'lint' in entry ? entry.lint : undefined
    if (!lint) return []
    const docs = { description: entry.summary, url: `policy/rules/docs/${id}.md` }
    const meta: Rule.RuleMetaData = { type: 'problem', docs, ...(lint.fixable ? { fixable: 'code' } : {}) }
    return [[id, { meta, create: lint.create as unknown as Rule.RuleModule['create'] }]]
  })
  return { meta: { name: 'partner-policy' }, rules: Object.fromEntries(entries) }
}

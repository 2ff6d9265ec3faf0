import type { OperationFacts } from '../../../policy/catalog.ts'
import { createLinter } from '../../../policy/scan/lint-file.ts'
import { createResolver } from '../../../policy/scan/resolve.ts'
import { type Analysis, analyse, type Declared } from '../../../policy/scopes/analyse.ts'
import { collectFacts } from '../../../policy/scopes/collect.ts'
import type { FileFacts } from '../../../policy/scopes/facts.ts'
import { operations } from './catalog.ts'

const lint = createLinter()

/** Follows the values of a module given as text, without folders and threads: for the many small cases. */
export function followModule(
  files: Readonly<Record<string, string>>,
  declared: Partial<Declared> = {},
  known: readonly OperationFacts[] = operations,
): Analysis {
  const facts = factsOf(files)
  const full: Declared = { slug: 'clubs', scopes: [], notifications: [], egress: [], widgets: [], ...declared }
  return analyse(
    facts,
    'src/index.ts',
    createResolver((file) => facts.has(file)),
    known,
    full,
  )
}

export function factsOf(files: Readonly<Record<string, string>>): Map<string, FileFacts> {
  return new Map(
    Object.entries(files).map(([file, text]) => {
      const { parsed, findings } = lint(file, text, 'own')
      if (!parsed) throw new Error(findings[0]?.message)
      return [file, collectFacts(parsed.ast, parsed.scopeManager)] as const
    }),
  )
}

/** A module of one route; `body` is what its handler does with the context `ctx`. */
export function route(body: string, more = ''): Record<string, string> {
  const text = `import { defineModule, html, sql, json } from '@partner/sdk'\n${more}\nexport default defineModule({ routes: { 'GET /': async (ctx) => {\n${body}\n} } })\n`
  return { 'src/index.ts': text }
}

/** A module of one route, which is served by the handler written here. */
export function served(handler: string, more = '', files: Record<string, string> = {}): Record<string, string> {
  const text = `import { defineModule } from '@partner/sdk'\n${more}\nexport default defineModule({ routes: { 'GET /': ${handler} } })`
  return { 'src/index.ts': text, ...files }
}

export function usedScopes(analysis: Analysis): string[] {
  return analysis.scopes.used.map((use) => use.scope)
}

/** The rules found, scope declarations aside. */
export function rulesFound(analysis: Analysis): string[] {
  return [...new Set(analysis.findings.map((finding) => finding.rule))]
    .filter((rule) => rule !== 'scope-undeclared')
    .sort()
}

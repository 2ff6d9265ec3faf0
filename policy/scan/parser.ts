import { createRequire } from 'node:module'
import type * as ScopeManager from '@typescript-eslint/scope-manager'
import type * as Estree from '@typescript-eslint/typescript-estree'

type Options = { readonly filePath?: string; readonly ecmaFeatures?: { readonly jsx?: boolean } }

// The two parts of which @typescript-eslint/parser is made, in the very version it pins.
const ofParser = createRequire(import.meta.resolve('@typescript-eslint/parser'))
const estree: typeof Estree = ofParser('@typescript-eslint/typescript-estree')
const scopes: typeof ScopeManager = ofParser('@typescript-eslint/scope-manager')

/**
 * `@typescript-eslint/parser` without tokens and comments. Its own entry always makes them, a fifth of its time, for rules
 * about layout and inline configuration; the policy has no such rule and reads no comment.
 */
export function parseForESLint(code: string, options: Options) {
  const { ast } = estree.parseAndGenerateServices(code, {
    ...(options.filePath === undefined ? {} : { filePath: options.filePath }),
    jsx: options.ecmaFeatures?.jsx === true,
    loc: true,
    range: true,
    tokens: false,
    comment: false,
    jsDocParsingMode: 'none',
    onUnsupportedTypeScriptVersion: 'ignore',
    suppressDeprecatedPropertyWarnings: true,
  })
  const scopeManager = scopes.analyze(ast, { sourceType: 'module', lib: [] })
  return { ast: Object.assign(ast, { tokens: [], comments: [], sourceType: 'module' as const }), scopeManager }
}

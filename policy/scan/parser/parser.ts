import type { ParserPackages } from './packages.ts'

type Options = { readonly filePath?: string; readonly ecmaFeatures?: { readonly jsx?: boolean } }

const settings = { loc: true, range: true, suppressDeprecatedPropertyWarnings: true }

/**
 * `@typescript-eslint/parser` without tokens and comments. Its own entry always makes them, a fifth of its time, for rules
 * about layout and inline configuration; the policy has no such rule and reads no comment.
 */
export const createParser = ({ ts, astConverter, scopes }: ParserPackages) => ({
  parseForESLint(code: string, options: Options) {
    const jsx = options.ecmaFeatures?.jsx === true
    const source = ts.createSourceFile(
      options.filePath ?? (jsx ? 'file.tsx' : 'file.ts'),
      code,
      { languageVersion: ts.ScriptTarget.Latest, jsDocParsingMode: ts.JSDocParsingMode.ParseNone },
      true,
      jsx ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
    )
    const ast = astConverter(source, settings, false).estree
    const scopeManager = scopes.analyze(ast, { sourceType: 'module', lib: [] })
    return { ast: Object.assign(ast, { tokens: [], comments: [], sourceType: 'module' as const }), scopeManager }
  },
})

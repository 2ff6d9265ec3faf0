import Module, { createRequire } from 'node:module'
import type * as ScopeManager from '@typescript-eslint/scope-manager'
import type { TSESTree } from '@typescript-eslint/types'
import type * as Typescript from 'typescript'

type Options = { readonly filePath?: string; readonly ecmaFeatures?: { readonly jsx?: boolean } }
type Converter = {
  astConverter(
    source: Typescript.SourceFile,
    settings: Readonly<Record<string, boolean>>,
    nodeMaps: boolean,
  ): { estree: TSESTree.Program }
}

// The two parts of which @typescript-eslint/parser is made, in the very version it pins; of the first only what turns
// TypeScript's tree into ESTree's, for the rest of it (projects, watching, type checks) takes longer to load than to parse.
const ofParser = createRequire(import.meta.resolve('@typescript-eslint/parser'))
const estreeFile = ofParser.resolve('@typescript-eslint/typescript-estree')
const ts = typescriptOf(createRequire(estreeFile))
const { astConverter }: Converter = createRequire(estreeFile)('./ast-converter.js')
const scopes: typeof ScopeManager = scopeManager()

/**
 * `@typescript-eslint/parser` without tokens and comments. Its own entry always makes them, a fifth of its time, for rules
 * about layout and inline configuration; the policy has no such rule and reads no comment.
 */
export function parseForESLint(code: string, options: Options) {
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
}

const settings = { loc: true, range: true, suppressDeprecatedPropertyWarnings: true }

/**
 * TypeScript says of itself neither that it is a module nor what its default is, so each of thirty files that import it
 * would copy its 2,500 names one by one: twice the time TypeScript itself takes to load.
 */
function typescriptOf(require: NodeJS.Require): typeof Typescript {
  const loaded: typeof Typescript = require('typescript')
  if (!('__esModule' in loaded))
    Object.defineProperties(loaded, { __esModule: { value: true }, default: { value: loaded } })
  return loaded
}

/** Without the names of the language's own libraries, a tenth of what a thread loads: the policy looks them up nowhere. */
function scopeManager(): typeof ScopeManager {
  const file = ofParser.resolve('@typescript-eslint/scope-manager')
  const libraries = createRequire(file).resolve('./lib')
  const empty = new Module(libraries)
  empty.exports = { lib: new Map() }
  empty.loaded = true
  ofParser.cache[libraries] = empty
  return ofParser(file)
}

import type { Scope } from '@typescript-eslint/scope-manager'
import type { Node, ScriptKind } from 'typescript'
import { forgetErased } from './erased.ts'
import type { ParserPackages } from './packages.ts'

type Options = { readonly filePath?: string }

const settings = { loc: true, range: true, suppressDeprecatedPropertyWarnings: true }

const languages = ['ts', 'tsx', 'js', 'jsx'] as const
export type Language = (typeof languages)[number]

/** By a file's ending, as esbuild decides. `.mts` and `.cjs` are what `.ts` and `.js` are, and no ending is JavaScript's. */
export const languageOf = (file: string): Language => {
  const ending = /\.[cm]?([jt]sx?)$/.exec(file)?.[1]
  return languages.find((language) => language === ending) ?? 'js'
}

/**
 * `@typescript-eslint/parser` without tokens and comments. Its own entry always makes them, a fifth of its time, for rules
 * about layout and inline configuration; the policy has no such rule and reads no comment. Its scopes hold what is left of
 * a file when it runs.
 *
 * JavaScript is read as such: `a<b>/"/; run(); a<b>/"/ -1` is two regular expressions there, and a text in TypeScript.
 */
export const createParser = ({ ts, astConverter, scopes }: ParserPackages) => {
  const kinds: Record<Language, ScriptKind> = {
    ts: ts.ScriptKind.TS,
    tsx: ts.ScriptKind.TSX,
    js: ts.ScriptKind.JS,
    jsx: ts.ScriptKind.JSX,
  }

  /**
   * TypeScript's parser takes types in JavaScript too, even where a script means something else:
   * `x ? a ? (b) : c => d : e` holds an arrow function from `b`, or one from `c`.
   */
  const typeIn = (node: Node): Node | undefined =>
    (ts.isTypeNode(node) && !ts.isExpressionWithTypeArguments(node)) || ts.isModuleDeclaration(node)
      ? node
      : ts.forEachChild(node, typeIn)

  /** To a script that is no module the rest of the line is a comment (ECMA-262, B.1.1); to TypeScript it never is. */
  const htmlCommentIn = (node: Node): Node | undefined =>
    ts.isBinaryExpression(node) && node.getSourceFile().text.startsWith(htmlComment, node.operatorToken.getStart())
      ? node.operatorToken
      : ts.forEachChild(node, htmlCommentIn)

  return {
    parseForESLint(code: string, { filePath = 'file.ts' }: Options) {
      const language = languageOf(filePath)
      const source = ts.createSourceFile(
        // Its own name says nothing more: one with `.d.` in it would be a declaration file.
        `file.${language}`,
        code,
        { languageVersion: ts.ScriptTarget.Latest, jsDocParsingMode: ts.JSDocParsingMode.ParseNone },
        true,
        kinds[language],
      )
      const ast = astConverter(source, settings, false).estree
      const type = language.startsWith('js') ? typeIn(source) : undefined
      if (type) throw misread(placeOf(type), 'This is TypeScript, in a file whose name says JavaScript.')
      const comment = code.includes(htmlComment) ? htmlCommentIn(source) : undefined
      if (comment)
        throw misread(placeOf(comment), `\`${htmlComment}\` can begin a comment: write a space before \`!\`.`)
      const scopeManager = scopes.analyze(ast, { sourceType: 'module', lib: [] })
      const block = scopeManager.scopes.find(isGlobalBlock)?.block.loc.start
      if (block) throw misread(block, '`global` begins a block that runs: write `declare global`, or a semicolon.')
      forgetErased(scopeManager, ast)
      return { ast: Object.assign(ast, { tokens: [], comments: [], sourceType: 'module' as const }), scopeManager }
    },
  }
}

const htmlComment = '<!--'

/** esbuild reads `global`, the end of a line and a block as just that; TypeScript a declaration, with names of its own. */
function isGlobalBlock({ block, upper }: Scope): boolean {
  return block.type === 'TSModuleDeclaration' && block.kind === 'global' && !isDeclared(block, upper)
}

function isDeclared(block: Scope['block'], upper: Scope | null): boolean {
  if (block.type === 'TSModuleDeclaration' && block.declare) return true
  return upper !== null && isDeclared(upper.block, upper.upper)
}

/** Columns are counted from 0, as in the trees. */
type Place = { readonly line: number; readonly column: number }

function placeOf(node: Node): Place {
  const { line, character } = node.getSourceFile().getLineAndCharacterOfPosition(node.getStart())
  return { line: line + 1, column: character }
}

/** As ESLint asks a parser to say where. */
function misread({ line, column }: Place, message: string): SyntaxError {
  return Object.assign(new SyntaxError(message), { lineNumber: line, column: column + 1 })
}

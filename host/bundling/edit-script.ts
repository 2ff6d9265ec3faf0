import type { default as TypeScript, Block, Node, SourceFile } from 'typescript'

export type Insertion = { at: number; text: string }

/** A bundle as esbuild writes it: `body` is that of the one arrow function which the script calls. */
export type Script = { ts: typeof TypeScript; script: SourceFile; body: Block | undefined }

/** The script with what is to be inserted, told in its order. An insertion without a line break keeps the source map right. */
export async function editScript(
  code: string,
  insertionsInto: (script: Script, code: string) => readonly Insertion[],
): Promise<string> {
  const { default: ts } = await import('typescript')
  const { ScriptTarget, ScriptKind, JSDocParsingMode } = ts
  const options = { languageVersion: ScriptTarget.ESNext, jsDocParsingMode: JSDocParsingMode.ParseNone }
  const script = ts.createSourceFile('bundle.js', code, options, false, ScriptKind.JS)
  const body = script.statements.map((statement) => bodyOf(ts, statement)).find((found) => found !== undefined)
  let from = 0
  const parts = insertionsInto({ ts, script, body }, code).flatMap(({ at, text }) => {
    const before = code.slice(from, at)
    from = at
    return [before, text]
  })
  return [...parts, code.slice(from)].join('')
}

function bodyOf(ts: typeof TypeScript, statement: Node): Block | undefined {
  if (!ts.isExpressionStatement(statement) || !ts.isCallExpression(statement.expression)) return undefined
  const { expression: callee } = statement.expression
  if (!ts.isParenthesizedExpression(callee) || !ts.isArrowFunction(callee.expression)) return undefined
  const { body } = callee.expression
  return ts.isBlock(body) ? body : undefined
}

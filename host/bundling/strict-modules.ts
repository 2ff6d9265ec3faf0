import type { Expression, FunctionLikeDeclaration, Statement } from 'typescript'
import { editScript, type Insertion, type Script } from './edit-script.ts'

const strict = '"use strict";'

/** The functions esbuild puts files in that are not merged: one of a CommonJS file, and one of an ES module that is asked for later. */
const commonJs = '__commonJS'
const laterModule = '__esm'

/**
 * The same script with its ES modules in strict mode, as they are in Node, in editors and in tests: outside it a forgotten
 * `const` makes a global of the isolate, which all users of a school share. CommonJS files stay as they are.
 *
 * Without such files the whole script is strict. With them esbuild puts all files that have a function of their own before
 * those that are merged. The merged ones get a strict function around them; an ES module with a function of its own (a
 * CommonJS file requires it, or `import()` loads it) is strict there, as is each function that esbuild takes out of it. Of
 * those only one with defaults, patterns or a rest among its parameters stays as it is: the language lets no directive stand
 * in it. No line is added: the source map stays as it is.
 */
export async function makeModulesStrict(code: string): Promise<string> {
  const whole = strict + code
  if (!code.includes(`${commonJs}({`)) return whole
  let mixed = false
  const edited = await editScript(code, (script) => {
    const insertions = insertionsInto(script)
    mixed = insertions.length > 0
    return insertions
  })
  return mixed ? edited : whole
}

function insertionsInto({ ts, script, body }: Script): Insertion[] {
  const statements = body?.statements ?? []
  if (!body || !statements.some((statement) => wrapperOf(statement) === commonJs)) return []
  const last = statements.findLastIndex((statement) => wrapperOf(statement) !== undefined)
  return [
    ...statements.slice(0, last + 1).flatMap(insideOf),
    { at: statements[last]!.end, text: ` (() => {${strict}` },
    { at: body.end - 1, text: '})();' },
  ]

  function insideOf(statement: Statement): Insertion[] {
    if (ts.isFunctionDeclaration(statement)) return directiveIn(statement)
    if (wrapperOf(statement) !== laterModule) return []
    return callsOf(statement).flatMap(({ arguments: given }) =>
      given
        .filter(ts.isObjectLiteralExpression)
        .flatMap(({ properties }) => [...properties])
        .flatMap((property) => {
          if (ts.isMethodDeclaration(property)) return directiveIn(property)
          const made = ts.isPropertyAssignment(property) ? withoutParentheses(property.initializer) : undefined
          return made && ts.isFunctionExpression(made) ? directiveIn(made) : []
        }),
    )
  }
  function wrapperOf(statement: Statement): string | undefined {
    return callsOf(statement).flatMap(({ expression }) =>
      ts.isIdentifier(expression) && [commonJs, laterModule].includes(expression.text) ? [expression.text] : [],
    )[0]
  }
  function callsOf(statement: Statement) {
    if (!ts.isVariableStatement(statement)) return []
    return statement.declarationList.declarations.flatMap(({ initializer }) =>
      initializer && ts.isCallExpression(initializer) ? [initializer] : [],
    )
  }
  function withoutParentheses(value: Expression): Expression {
    return ts.isParenthesizedExpression(value) ? value.expression : value
  }
  function directiveIn({ parameters, body: inner }: FunctionLikeDeclaration): Insertion[] {
    const simple = parameters.every(
      ({ name, initializer, dotDotDotToken }) => ts.isIdentifier(name) && !initializer && !dotDotDotToken,
    )
    return simple && inner ? [{ at: inner.getStart(script) + 1, text: strict }] : []
  }
}

import type { ArrowFunction, Expression, ObjectLiteralElementLike } from 'typescript'
import { editScript, type Insertion, type Script } from './edit-script.ts'

/** What esbuild wraps files in that are not merged: `var require_x = __commonJS({ "x.js"(exports, module) { … } })`. */
const wrappers = ['__commonJS', '__esm']
/** What it gives a namespace its names with: `__export(x_exports, { name: () => name, … })`. */
const namer = '__export'
const helpers = [...wrappers, namer, '__copyProps', '__toESM', '__toCommonJS', '__reExport']

/**
 * The same script, and what esbuild itself wrote into it compiled at once where it is called as the script loads. V8 only
 * skims a function until it is called; it is then parsed once more, at every cold start, since a code cache made without
 * running anything holds what was compiled and no more. A function in parentheses is compiled at once (V8's heuristic for
 * what is likely called), so it is in the cache:
 *
 * - CommonJS files: `lodash` costs 0.54 of a start without cache then, not 0.71;
 * - esbuild's helpers, and the getters of namespaces that are spread, so read whole: a twelfth of a start with `zod`.
 *
 * Only esbuild's own lines change, and none is added: the source map stays as it is.
 */
export async function compileWrappersAtOnce(code: string): Promise<string> {
  if (!wrappers.some((wrapper) => code.includes(`${wrapper}({`)) && !/\.\.\.\w+_exports\b/.test(code)) return code
  return await editScript(code, insertionsInto)
}

function insertionsInto({ ts, script, body }: Script, code: string): Insertion[] {
  return (body?.statements ?? []).flatMap((statement) => {
    if (ts.isExpressionStatement(statement)) return inNamespace(statement.expression)
    if (!ts.isVariableStatement(statement)) return []
    return statement.declarationList.declarations.flatMap(({ name, initializer }) => {
      if (!initializer) return []
      if (ts.isArrowFunction(initializer))
        return ts.isIdentifier(name) && helpers.includes(name.text) ? inParentheses(initializer) : []
      return propertiesGivenTo(wrappers, initializer).flatMap((property) =>
        ts.isMethodDeclaration(property)
          ? [
              { at: property.name.end, text: ': (function' },
              { at: property.end, text: ')' },
            ]
          : [],
      )
    })
  })

  function inNamespace(value: Expression): Insertion[] {
    const [namespace] = ts.isCallExpression(value) ? value.arguments : []
    if (!namespace || !ts.isIdentifier(namespace) || !isSpread(namespace.text)) return []
    return propertiesGivenTo([namer], value).flatMap((property) =>
      ts.isPropertyAssignment(property) && ts.isArrowFunction(property.initializer)
        ? inParentheses(property.initializer)
        : [],
    )
  }
  function propertiesGivenTo(callees: string[], value: Expression): readonly ObjectLiteralElementLike[] {
    if (!ts.isCallExpression(value) || !ts.isIdentifier(value.expression)) return []
    if (!callees.includes(value.expression.text)) return []
    const given = value.arguments.find(ts.isObjectLiteralExpression)
    return given ? given.properties : []
  }
  function inParentheses(arrow: ArrowFunction): Insertion[] {
    return [
      { at: arrow.getStart(script), text: '(' },
      { at: arrow.end, text: ')' },
    ]
  }
  function isSpread(name: string): boolean {
    return new RegExp(`\\.\\.\\.${name.replaceAll('$', '\\$')}\\s*[,}]`).test(code)
  }
}

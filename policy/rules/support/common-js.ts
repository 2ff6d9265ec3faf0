import type { RuleContext, TSESTree } from './lint-rule.ts'

/** Variables of the function that esbuild makes of a CommonJS file. */
const given = ['exports', 'module']

/**
 * The names that esbuild gives a file, beside globals. It takes one that has these in it for CommonJS, unless it exports as
 * an ES module does or its ending says that it is one.
 */
export function givenToFile({ filename, sourceCode: { ast } }: RuleContext): readonly string[] {
  return /\.m[jt]s(\.[jt]s)?$/.test(filename) || ast.body.some(exportsAsModule) ? [] : given
}

const exportsAsModule = ({ type }: TSESTree.ProgramStatement): boolean =>
  [
    'ExportNamedDeclaration',
    'ExportDefaultDeclaration',
    'ExportAllDeclaration',
    'TSNamespaceExportDeclaration',
  ].includes(type)

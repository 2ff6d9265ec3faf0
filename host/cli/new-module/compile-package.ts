import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import type { CompilerOptions, default as TypeScript } from 'typescript'

type Files = Record<string, string>

/**
 * The entries and all that they import, as JavaScript and declarations with their doc comments. Each file is compiled by
 * itself, so nothing but its own text gets into it: no inferred type of the host, no path of the machine.
 */
export async function compilePackage(root: string, entries: readonly string[]): Promise<Files> {
  const { default: ts } = await import('typescript')
  const options: CompilerOptions = {
    target: ts.ScriptTarget.ES2024,
    module: ts.ModuleKind.ESNext,
    verbatimModuleSyntax: true,
    rewriteRelativeImportExtensions: true,
    declaration: true,
    isolatedDeclarations: true,
  }
  const compiled: Files = {}
  const waiting = [...entries]
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    const stem = file.replace(/\.ts$/, '')
    if (`${stem}.js` in compiled) continue
    if (stem === file || file.startsWith('../')) throw new Error(`the package imports ${file}, which is no part of it`)
    const text = readFileSync(join(root, file), 'utf8')
    compiled[`${stem}.js`] = ts.transpileModule(text, { compilerOptions: options, fileName: file }).outputText
    compiled[`${stem}.d.ts`] = declarationsOf(ts, file, text, options)
    const folder = posix.dirname(file)
    waiting.push(...relativeImports(ts, text).map(({ fileName }) => posix.join(folder, fileName)))
  }
  return compiled
}

function declarationsOf(ts: typeof TypeScript, file: string, text: string, compilerOptions: CompilerOptions): string {
  const transpileOptions = { compilerOptions, fileName: file, reportDiagnostics: true }
  const { outputText, diagnostics = [] } = ts.transpileDeclaration(text, transpileOptions)
  const [problem] = diagnostics
  if (problem) throw new Error(`${file}: ${ts.flattenDiagnosticMessageText(problem.messageText, ' ')}`)
  return importsOfJavaScript(ts, outputText)
}

/** Declarations keep the `.ts` of the sources' imports, which are not in the package. */
function importsOfJavaScript(ts: typeof TypeScript, declarations: string): string {
  return relativeImports(ts, declarations).reduceRight((text, { fileName, pos }) => {
    const end = text.indexOf(fileName, pos) + fileName.length
    return `${text.slice(0, end - '.ts'.length)}.js${text.slice(end)}`
  }, declarations)
}

const relativeImports = (ts: typeof TypeScript, text: string) =>
  ts.preProcessFile(text).importedFiles.filter(({ fileName }) => fileName.startsWith('.'))

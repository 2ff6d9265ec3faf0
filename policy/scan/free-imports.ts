import { readFile } from 'node:fs/promises'
import { SourceMap } from 'node:module'
import { join } from 'node:path'
import { type BuildOptions, type Metafile, type OutputFile, type Plugin, transform } from 'esbuild'
import type { Missing } from './missing-exports.ts'

export type Built = { readonly metafile: Metafile; readonly outputFiles: readonly OutputFile[] }
/** The same build with other options, and with these plugins before its own. */
export type Rebuild = (changes: BuildOptions, ...plugins: Plugin[]) => Promise<Built>

/**
 * Imports of which the script makes a global's name. What a TypeScript file hands on and nobody exports esbuild takes for a
 * type; where a third file uses it, its name is printed as it stands, and `Math` is then the Math of the language, whatever
 * the file imports under that name.
 *
 * esbuild tells them from globals itself: built once more with a file that names every word of the script, it gives all that
 * is imported another name, with a number at its end, and none to a global. Of such new names `define` replaces those that
 * nothing declares. Only a module whose TypeScript hands something on by name pays for it.
 */
export async function freeImports(root: string, built: Built, rebuild: Rebuild): Promise<Missing[]> {
  if (!(await handsOn(root, built.metafile))) return []
  const known = new Set([...wordsOf(scriptOf(built)), ...replaced])
  const again = await rebuild(
    { define, charset: 'utf8', sourcemap: 'external', outfile: 'bundle.js', inject: [namer] },
    naming(known),
  )
  const code = scriptOf(again)
  const numbered = [...new Set(wordsOf(code))].filter((word) => !known.has(word) && /\d$/.test(word))
  const free = await freeOf(code, numbered)
  if (free.size === 0) return []
  const map = JSON.parse(again.outputFiles.find(({ path }) => path.endsWith('.map'))!.text)
  return placesOf(code, free, map)
}

/** Whether a file in TypeScript may hand a name on. `export` before a comment counts too: what stands behind that is not read. */
async function handsOn(root: string, { inputs }: Metafile): Promise<boolean> {
  const files = Object.keys(inputs).filter((file) => !inNamespace.test(file) && /\.[cm]?tsx?\b/.test(file))
  const texts = await Promise.all(files.map((file) => readFile(join(root, file), 'utf8').catch(notOnDisk)))
  return texts.some((text) => /\bexport\s*[{/]/.test(text))
}

/** The host's entry, which hands nothing on. */
const notOnDisk = () => ''

/** A file that a plugin gives, as the host does the SDK's. */
export const inNamespace = /^@?[\w/-]+:/

/** Names of globals that `bundling` replaces: here they stay, so that an import of that name is told from them. */
const replaced = ['self', 'global']
const define = { 'process.env.NODE_ENV': '"production"' }

const namer = 'partner-words'

/** A file that names these words, for whatever they are where nothing declares them. */
function naming(words: ReadonlySet<string>): Plugin {
  const names = [...words].filter((word) => !reserved.has(word))
  return {
    name: namer,
    setup(build) {
      build.onResolve({ filter: /^partner-words$/ }, ({ path }) => ({ path, namespace: namer, sideEffects: true }))
      build.onLoad({ filter: /.*/, namespace: namer }, () => ({
        contents: `globalThis[() => [${names.join(', ')}]]\nexport {}`,
      }))
    },
  }
}

/** No import may be called so, and no expression is. */
const reserved = new Set(
  `arguments await break case catch class const continue debugger default delete do else enum eval export extends false
  finally for function if implements import in instanceof interface let new null package private protected public return
  static super switch this throw true try typeof var void while with yield`.split(/\s+/),
)

const scriptOf = ({ outputFiles }: Built): string => outputFiles.find(({ path }) => !path.endsWith('.map'))!.text

const word = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/gu
const wordsOf = (code: string): string[] => code.match(word) ?? []

/** Which of these names nothing in the script declares. */
async function freeOf(code: string, names: readonly string[]): Promise<Set<string>> {
  const mark = (index: number) => `__free_${index}__`
  const marks = Object.fromEntries(names.map((name, index) => [name, mark(index)]))
  const { code: marked } = await transform(code, { define: marks, logLevel: 'silent' })
  const found = new Set(wordsOf(marked))
  return new Set(names.filter((_name, index) => found.has(mark(index))))
}

/** Where each is used first, and what it is called there. */
function placesOf(
  code: string,
  free: ReadonlySet<string>,
  payload: ConstructorParameters<typeof SourceMap>[0],
): Missing[] {
  const map = new SourceMap(payload)
  const left = new Set(free)
  return code.split('\n').flatMap((text, line) =>
    [...text.matchAll(word)].flatMap(({ 0: name, index }) => {
      if (!left.delete(name)) return []
      const entry = map.findEntry(line, index)
      if (!('originalSource' in entry)) return []
      const { originalSource: file, originalLine, originalColumn: column } = entry
      const source = payload.sourcesContent[payload.sources.indexOf(file)] ?? ''
      const [called] = wordsOf((source.split('\n')[originalLine] ?? '').slice(column))
      const said = `"${called}" is imported, but no file exports what it leads to`
      return [{ text: said, location: { file, line: originalLine + 1, column } }]
    }),
  )
}

import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { type BuildFailure, type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'
import { bundling } from '../../policy/scan/bundle.ts'
import { type Missing, missingExports } from '../../policy/scan/missing-exports.ts'
import { buildAsNode } from '../../policy/scan/package-scripts.ts'
import { BundleError, type BundleFinding } from './bundle-error.ts'
import { compileWrappersAtOnce } from './eager-wrappers.ts'
import { leftOut, refuseForeignImports } from './import-rules.ts'
import { sdkFolder, sdkImports } from './sdk-imports.ts'
import { portableSourceMap } from './source-map.ts'
import { makeModulesStrict } from './strict-modules.ts'

export type ModuleBundle = {
  /** One script that sets `globalThis.__partner_module__`. */
  code: string
  /** JSON text. Sources are relative to the module's folder; the SDK's begin with `@partner/sdk/`. */
  sourceMap: string
  /** SHA-256 of the code, in hex. */
  hash: string
  /** What went into it, relative to the module's folder, sorted. */
  files: string[]
}

/** Of UTF-8, as web processes count it. The runner compiles this much at a cold start; more is a mistake of the partner's. */
const maxBundleBytes = 2 << 20

/**
 * A module's folder as one script. The same input gives the same bytes, wherever the folder lies. Nothing of the module
 * is run. Throws BundleError with the partner's file and line.
 */
export async function bundleModule(folder: string): Promise<ModuleBundle> {
  const root = await realpath(folder)
  if (!existsSync(join(root, 'src/index.ts'))) throw new BundleError('no_module', [finding('there is no src/index.ts')])
  const { code, map, metafile, missing } = await compile(root)
  requireDefaultExport(metafile)
  if (missing.length > 0) throw new BundleError('compile_error', missing)
  const bytes = Buffer.byteLength(code)
  if (bytes > maxBundleBytes) {
    throw new BundleError('too_large', [finding(`the bundle has ${bytes} bytes, of ${maxBundleBytes} allowed`)])
  }
  const hash = createHash('sha256').update(code).digest('hex')
  return { code, sourceMap: portableSourceMap(map, root), hash, files: filesOf(metafile) }
}

/** What the runner loads. The definition is checked when the bundle loads: importing it is running it. */
const entry = `import { createGuest } from '@partner/sdk/guest'
import definition from './src/index.ts'
globalThis.__partner_module__ = createGuest(definition)
`

type Compiled = { code: string; map: string; metafile: Metafile; missing: BundleFinding[] }

async function compile(root: string): Promise<Compiled> {
  try {
    const built = await run(root, {})
    const { outputFiles, metafile } = built
    const missing = await missingExports(root, built, (...changes) => run(root, ...changes))
    const [map, script] = ['.map', '.js'].map((ending) => outputFiles.find(({ path }) => path.endsWith(ending)))
    const code = await makeModulesStrict(await compileWrappersAtOnce(script!.text))
    return { code, map: map!.text, metafile, missing: missing.map(findingOf) }
  } catch (error) {
    throw asBundleError(error)
  }
}

const run = (root: string, changes: BuildOptions, ...first: Plugin[]) =>
  buildAsNode(root, (...plugins) =>
    build({
      ...bundling,
      stdin: { contents: entry, resolveDir: root, sourcefile: 'entry.ts', loader: 'ts' },
      absWorkingDir: root,
      format: 'iife',
      keepNames: false,
      sourcemap: 'external',
      sourcesContent: true,
      outfile: 'bundle.js',
      loader: { '.json': 'json', '.txt': 'text' },
      plugins: [...first, sdkImports(), refuseForeignImports(root), ...plugins],
      ...changes,
      metafile: true,
      write: false,
    }),
  )

function asBundleError(error: unknown): unknown {
  const { errors } = error as Partial<BuildFailure>
  if (!Array.isArray(errors) || errors.length === 0) return error
  const missingDefault = errors.some(({ id, text }) => id === '' && /No matching export .* "default"/.test(text))
  const refused = errors.some(({ pluginName, text }) => pluginName !== '' || text.startsWith('Could not resolve'))
  const code = missingDefault ? 'no_module' : refused ? 'import_refused' : 'compile_error'
  return new BundleError(code, errors.map(findingOf))
}

function findingOf({ text, location }: Missing): BundleFinding {
  if (text.includes('No matching export') && location?.file.endsWith('entry.ts')) return finding(noDefaultExport)
  if (!location) return finding(text)
  return { file: location.file, line: location.line, column: location.column + 1, message: text }
}

const noDefaultExport = 'there is no default export: write export default defineModule({…})'

/** esbuild only warns where a default import finds none in a CommonJS or empty file. */
function requireDefaultExport({ inputs, outputs }: Metafile): void {
  const index = inputs['src/index.ts']
  const isModule = index?.format === 'esm'
  if (!isModule || Object.keys(outputs).length === 0) throw new BundleError('no_module', [finding(noDefaultExport)])
}

const finding = (message: string): BundleFinding => ({ file: 'src/index.ts', line: 1, column: 1, message })

function filesOf({ inputs }: Metafile): string[] {
  return Object.keys(inputs)
    .filter(
      (path) => path !== 'entry.ts' && ![sdkFolder, leftOut].some((namespace) => path.startsWith(`${namespace}:`)),
    )
    .sort()
}

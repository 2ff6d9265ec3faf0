import { build } from 'esbuild'
import { bundleOf } from '../../isolates/support.ts'

/** Real code of two sizes, as partners bundle it: about 60 kB and about 500 kB. */
async function bundleLike(imports: readonly string[], wanted: number) {
  const names = imports.map((_, at) => `library${at}`)
  const contents = `${imports.map((name, at) => `import * as ${names[at]} from '${name}'`).join('\n')}
    globalThis.kept = [${names.join(', ')}]
    globalThis.__partner_module__ = { handle: () => globalThis.kept.length }`
  const built = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    logLevel: 'silent',
  })
  const code = built.outputFiles[0]!.text
  if (code.length < wanted * 0.7 || code.length > wanted * 1.4) throw new Error(`a bundle of ${code.length} characters`)
  return bundleOf(code)
}

export const smallBundle = () => bundleLike(['temporal-polyfill'], 60_000)
export const largeBundle = () => bundleLike(['lodash', 'zod'], 500_000)

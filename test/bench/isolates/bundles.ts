import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { bundleModule } from '../../../host/bundling/bundle.ts'
import { bundleOf } from '../../isolates/support.ts'

/** About 60 kB of real code. */
export async function smallBundle() {
  const contents = `import * as library from 'temporal-polyfill'
    globalThis.kept = library
    globalThis.__partner_module__ = { handle: () => 1 }`
  const built = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    logLevel: 'silent',
  })
  return bundleOf(ofAbout(60_000, built.outputFiles[0]!.text))
}

/** A module with two large libraries, one CommonJS and one not, as the host bundles it: half a megabyte were it minified. */
export async function largeBundle() {
  const folder = mkdtempSync(join(tmpdir(), 'partner-module-'))
  try {
    const require = createRequire(import.meta.url)
    for (const name of ['lodash', 'zod'])
      cpSync(dirname(require.resolve(`${name}/package.json`)), join(folder, 'node_modules', name), { recursive: true })
    mkdirSync(join(folder, 'src'))
    writeFileSync(
      join(folder, 'src/index.ts'),
      `import { defineModule, json } from '@partner/sdk'
      import * as lodash from 'lodash'
      import * as zod from 'zod'
      const kept = [lodash, zod]
      export default defineModule({ routes: { 'GET /': () => json(kept.length) } })`,
    )
    const { code } = await bundleModule(folder)
    return bundleOf(ofAbout(1_000_000, code))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function ofAbout(wanted: number, code: string): string {
  if (code.length < wanted * 0.7 || code.length > wanted * 1.4) throw new Error(`a bundle of ${code.length} characters`)
  return code
}

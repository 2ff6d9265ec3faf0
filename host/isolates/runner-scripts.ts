import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const require = createRequire(import.meta.url)
const here = fileURLToPath(new URL('.', import.meta.url))
const besidePackages = fileURLToPath(new URL('../../node_modules/.cache/partner-runtime-runner', import.meta.url))
/** All that a runner is made of, and how, but for its packages. */
const sources = ['runner', 'guest', 'wire', 'limits.ts', basename(fileURLToPath(import.meta.url))]
const isolatedVm = 'isolated-vm'

export const scriptFiles = { main: 'runner.mjs', compiler: 'compiler.mjs' } as const

/**
 * The folder of a runner's scripts, made once for what its sources are now and kept beside the packages, as trusted as they
 * are. Undefined where nothing can be kept there.
 */
export function keptScripts(kept: string = besidePackages): string | undefined {
  const folder = join(kept, sourcesHash())
  if (existsSync(folder)) return folder
  let made: string | undefined
  try {
    mkdirSync(kept, { recursive: true })
    made = mkdtempSync(join(kept, 'new-'))
    writeScripts(made)
    renameSync(made, folder)
  } catch {
    if (made) rmSync(made, { recursive: true, force: true })
  }
  // Another process may have made it in the same moment.
  return existsSync(folder) ? folder : undefined
}

/**
 * Each script as one file of JavaScript. A runner that strips the types of thirty files takes twice as long to start, and
 * 18 MB more for as long as it lives; and it strips them with WebAssembly, which a thread beside it optimises: where that
 * thread is the last to let go of an isolate of isolated-vm's, it waits for a lock that it holds itself (V8's
 * `WasmEngine::TriggerGC`), and the process for ever. Readable for every system user, and on the disk before a name says
 * that it is whole. `addon`: from where they import isolated-vm.
 */
export function writeScripts(folder: string, addon: string = isolatedVm): void {
  const { buildSync } = require('esbuild') as typeof import('esbuild')
  const { outputFiles } = buildSync({
    entryPoints: { runner: join(here, 'runner/main.ts'), compiler: join(here, 'runner/compile.ts') },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'esnext',
    external: [isolatedVm],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    // Each installation holds the text of its bootstrap.
    minifyWhitespace: true,
    lineLimit: 160,
    write: false,
  })
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, 0o755)
  for (const { path, text } of outputFiles) {
    writeFileSync(path, text.replaceAll(JSON.stringify(isolatedVm), JSON.stringify(addon)), { flush: true })
    chmodSync(path, 0o644)
  }
}

function sourcesHash(): string {
  const hash = createHash('sha256').update(readFileSync(require.resolve('esbuild/package.json')))
  for (const source of sources) {
    const files = source.endsWith('.ts') ? [source] : readdirSync(join(here, source)).map((name) => `${source}/${name}`)
    for (const file of files.sort()) hash.update(`\n${file}\n`).update(readFileSync(join(here, file)))
  }
  return hash.digest('hex').slice(0, 32)
}

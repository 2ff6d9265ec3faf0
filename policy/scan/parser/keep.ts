import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { parserOptions } from '../../sql/engine-options.ts'
import { packageFiles } from './installed.ts'
import { keptFolder, scriptFile } from './kept.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
/** V8's options in the processes that scan: the command line, and builders. */
const optionsOfScans = [[], parserOptions]

/** Makes the script and its compiled forms, in the place of what was kept of other packages. */
export async function keep(kept?: string): Promise<void> {
  const folder = keptFolder(kept)
  const parent = dirname(folder)
  mkdirSync(parent, { recursive: true })
  const made = mkdtempSync(join(parent, 'new-'))
  try {
    const script = scriptFile(made)
    await writeScript(script)
    for (const options of optionsOfScans) execFileSync(process.execPath, [...options, join(here, 'compile.ts'), script])
    // Builders read them as another system user, whatever the umask is here.
    for (const name of readdirSync(made)) chmodSync(join(made, name), 0o644)
    chmodSync(made, 0o755)
    for (const name of readdirSync(parent)) {
      if (name !== basename(made)) rmSync(join(parent, name), { recursive: true, force: true })
    }
    renameSync(made, folder)
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
}

async function writeScript(outfile: string): Promise<void> {
  const { typescript, converter, scopeManager, libraries, linter } = packageFiles()
  const from = (file: string) => `require(${JSON.stringify(file)})`
  await build({
    stdin: {
      contents: `
        exports.ts = require('./as-module.ts').asModule(${from(typescript)})
        exports.astConverter = ${from(converter)}.astConverter
        exports.scopes = ${from(scopeManager)}
        exports.Linter = ${from(linter)}.Linter`,
      resolveDir: here,
    },
    plugins: [
      {
        name: 'no-libraries',
        setup: ({ onLoad }) =>
          onLoad({ filter: /\.js$/ }, ({ path }) =>
            path === libraries ? { contents: 'exports.lib = new Map()' } : undefined,
          ),
      },
    ],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'esnext',
    minifyWhitespace: true,
    lineLimit: 160,
    banner: { js: '(function (require, module, exports, __filename, __dirname) {' },
    footer: { js: '})' },
    outfile,
    logLevel: 'error',
  })
}

if (import.meta.main) {
  // Without it everything works, only slower.
  await keep().catch(({ message }) => console.error(`partner: the scan's parser is not kept: ${message}`))
}

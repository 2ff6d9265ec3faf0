import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { createLinter } from '../lint-file.ts'
import { run, scriptOf, writeCode } from './kept.ts'

/** `compile.ts <script>`: what V8, with this process's options, makes of the script at work on modules, kept beside it. */
const [script] = process.argv.slice(2)
const samples = resolve(import.meta.dirname, '../../../modules')
const compiled = scriptOf(script!)
const lint = createLinter(run(compiled, script!))
for (const name of globSync('*/**/*.ts', { cwd: samples })) {
  lint(basename(name), readFileSync(resolve(samples, name), 'utf8'), 'own')
}
writeCode(dirname(script!), compiled)

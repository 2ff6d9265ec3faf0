import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** `npm run check`: types, lint, policy scan of the modules, generated files up to date. Runs all, then says what failed. */
const root = fileURLToPath(new URL('..', import.meta.url))
const require = createRequire(import.meta.url)
const binary = (name: string, path: string) => join(dirname(require.resolve(`${name}/package.json`)), path)
const node = (...args: string[]) => [
  process.execPath,
  '--no-node-snapshot',
  '--disable-warning=ExperimentalWarning',
  ...args,
]

const steps: [string, string[]][] = [
  ['types', node(binary('tsnative', 'bin/tsc'), '--noEmit', '-p', '.')],
  ['lint and format', node(binary('@biomejs/biome', 'bin/biome'), 'ci', '--colors=off', '--error-on-warnings', '.')],
  ['imports point one way', node('test/checks/imports.ts')],
  ['policy scan of modules', node('test/checks/modules.ts')],
  ['generated files', node('test/checks/generated.ts')],
]

const failed = steps.filter(([name, [program, ...args]]) => {
  const { status } = spawnSync(program!, args, { cwd: root, stdio: 'inherit' })
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name}`)
  return status !== 0
})
process.exit(failed.length > 0 ? 1 : 0)

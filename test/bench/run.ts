import { spawn } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { BenchLine } from './bench-line.ts'

/**
 * `npm run bench [-- names…]`: every ratio as a JSON line, each file in a process of its own, so that none carries
 * another's garbage or warmth. Files that end in `-long.ts` run with `npm run bench:long`.
 */
const long = process.argv.includes('--long')
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const perFile = long ? 1_800_000 : 150_000

const files = globSync('test/bench/**/*.ts')
  .filter((file) => /^export (async function|function|const) run\b/m.test(readFileSync(file, 'utf8')))
  .filter((file) => file.endsWith('-long.ts') === long)
  .filter((file) => wanted.length === 0 || wanted.some((name) => file.includes(name)))
  .sort()

if (files.length === 0) {
  console.error('no benchmark has such a name')
  process.exit(1)
}
const missed: string[] = []
for (const file of files) {
  const began = performance.now()
  const lines = await runFile(file)
  console.error(`${file}: ${Math.round((performance.now() - began) / 1_000)} s`)
  for (const line of lines) {
    console.log(JSON.stringify(line))
    if (line.better === 'higher' ? line.ratio < line.goal : line.ratio > line.goal) missed.push(line.name)
  }
}
console.error(missed.length === 0 ? 'every goal is met' : `${missed.length} miss their goal: ${missed.join(', ')}`)

/** The lines of one file. One that fails or takes too long says so and does not stop the others. */
function runFile(file: string): Promise<BenchLine[]> {
  const child = spawn(
    process.execPath,
    [
      '--no-node-snapshot',
      '--disable-warning=ExperimentalWarning',
      fileURLToPath(new URL('./run-file.ts', import.meta.url)),
      new URL(`../../${file}`, import.meta.url).href,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'], timeout: perFile, killSignal: 'SIGKILL' },
  )
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  return new Promise((resolve) =>
    child.once('close', (code) => {
      const last = output.trimEnd().split('\n').at(-1) ?? ''
      if (code === 0 && last.startsWith('[')) return resolve(JSON.parse(last) as BenchLine[])
      console.error(`${file} gave no figures (${code === null ? 'ended for taking too long' : `code ${code}`})`)
      missed.push(file)
      resolve([])
    }),
  )
}

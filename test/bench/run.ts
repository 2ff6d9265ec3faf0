import { globSync, readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import type { BenchLine } from './bench-line.ts'

/** `npm run bench [-- names…]`: each ratio as a JSON line. Files that end in `-long.ts` run with `--long` only. */
const long = process.argv.includes('--long')
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const files = globSync('test/bench/**/*.ts')
  .filter((file) => /export (async function|const) run\b/.test(readFileSync(file, 'utf8')))
  .filter((file) => file.endsWith('-long.ts') === long)
  .filter((file) => wanted.length === 0 || wanted.some((name) => file.includes(name)))
  .sort()
let missed = 0
for (const file of files) {
  const { run } = (await import(pathToFileURL(file).href)) as { run: () => Promise<BenchLine[]> }
  for (const line of await run()) {
    console.log(JSON.stringify(line))
    if (line.better === 'higher' ? line.ratio < line.goal : line.ratio > line.goal) missed++
  }
}
console.error(`${missed} of the ratios above miss their goal`)
process.exit(0)

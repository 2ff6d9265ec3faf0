import { globSync, readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

/** `npm run soak [-- names…]`: every file here that exports `soak`, one after another. A soak that fails rejects. */
const wanted = process.argv.slice(2)
const files = globSync('test/soak/*.ts')
  .filter((file) => readFileSync(file, 'utf8').includes('export async function soak('))
  .filter((file) => wanted.length === 0 || wanted.some((name) => file.includes(name)))
  .sort()
let failed = 0
for (const file of files) {
  const { soak } = (await import(pathToFileURL(file).href)) as { soak: () => Promise<void> }
  try {
    await soak()
    console.log(`${file}: held`)
  } catch (error) {
    failed++
    console.error(`${file}:`, error)
  }
}
process.exit(failed === 0 ? 0 : 1)

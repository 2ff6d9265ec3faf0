import { globSync, readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

/** `npm run soak [-- names…]`: every file here that exports `soak` or `run`, in turn. A soak that fails rejects. */
const wanted = process.argv.slice(2)
const files = globSync('test/soak/*.ts')
  .filter((file) => /export async function (soak|run)\(/.test(readFileSync(file, 'utf8')))
  .filter((file) => wanted.length === 0 || wanted.some((name) => file.includes(name)))
  .sort()
let failed = 0
for (const file of files) {
  const found = (await import(pathToFileURL(file).href)) as Record<'soak' | 'run', (() => Promise<void>) | undefined>
  try {
    await (found.soak ?? found.run)?.()
    console.log(`${file}: held`)
  } catch (error) {
    failed++
    console.error(`${file}:`, error)
  }
}
process.exit(failed === 0 ? 0 : 1)

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these texts are modules' source
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import type { ScanReport } from '../../../policy/finding.ts'
import { scan } from '../../../policy/scan/scan.ts'
import { catalog, operations } from '../support/catalog.ts'
import { manifest, moduleFolder, writeFiles } from '../support/module.ts'

const names = ['a', 'b', 'c', 'd']

/** What an author may write into one file of a module whose files all know each other. */
const lines = [
  'export const plain = 1',
  'export const list = ({ services }) => services.education.students.list({})',
  'export const leak = (ctx) => globalThis.away(ctx)',
  'export const pass = (ctx) => other(ctx.services)',
  'export const other = (services) => services.education.grades.get({ id: 1 })',
  'export const keep = {}; export const store = (ctx) => { keep.db = ctx.db }',
  'export const shared = { run: (ctx) => unknownThing(ctx.db) }',
  'export const text = (ctx) => `<b>${ctx.query.name}</b>`',
  'process.env.SECRET',
  "import * as far from './FILE.ts'; export const through = (ctx) => far.list?.(ctx)",
  "import { other as helper, shared as both } from './FILE.ts'; export const use = (ctx) => [helper(ctx.services), both.run(ctx), give(both)]",
  "export * from './FILE.ts'",
  "import missing from './nowhere.ts'; export const lost = (ctx) => missing(ctx)",
  "import { x } from './hidden/test/FILE.ts'; export const y = (ctx) => x(ctx.services)",
  "import type { Ulid } from '@partner/sdk'; export type T = { id: Ulid }",
  "import type { T } from './FILE.ts'; export const num = (t: T) => +t.id",
  'const = broken',
]

const edit = fc.record({
  file: fc.constantFrom(...names),
  lines: fc.array(fc.record({ line: fc.constantFrom(...lines), target: fc.constantFrom(...names) }), { maxLength: 4 }),
})

const entry = `import { defineModule } from '@partner/sdk'
${names.map((name) => `import * as ${name} from './${name}.ts'`).join('\n')}
export default defineModule({ routes: { ${names.map((name) => `'GET /${name}': (ctx) => [${name}.list?.(ctx), ${name}.pass?.(ctx), ${name}.use?.(ctx), ${name}.lost?.(ctx)], '${name}': ${name}.leak`).join(', ')} } })
`

async function repository(context: TestContext) {
  const hidden = names.map((name) => [`src/hidden/test/${name}.ts`, 'export const x = (services) => services[1]\n'])
  const sources = names.map((name) => [`src/${name}.ts`, 'export const plain = 1\n'])
  const files = { 'manifest.json': manifest(), 'src/index.ts': entry, ...Object.fromEntries([...hidden, ...sources]) }
  const dir = await moduleFolder(context, files)
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', dir, '-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { stdio: 'pipe' })
  git('init', '--quiet')
  git('add', 'manifest.json')
  git('commit', '--quiet', '-m', 'first')
  const cacheFolder = await mkdtemp(path.join(tmpdir(), 'partner-cache-'))
  context.after(() => rm(cacheFolder, { recursive: true, force: true }))
  return { dir, cacheFolder, scanWith: (folder: string) => scan(dir, { ...input, cacheFolder: folder }) }
}

const input = { catalog, operations, changed: 'HEAD' }

function verdict({ findings, scopes, files }: ScanReport) {
  return { findings, scopes, files }
}

test('whatever was edited, a scan with a warm cache says exactly what one without says', async (context) => {
  const { dir, cacheFolder, scanWith } = await repository(context)
  let cold = 0
  await fc.assert(
    fc.asyncProperty(edit, async ({ file, lines }) => {
      const text = lines.map(({ line, target }) => line.replaceAll('FILE', target)).join('\n')
      await writeFiles(dir, { [`src/${file}.ts`]: `${text}\n` })
      const [warm, fresh] = await Promise.all([scanWith(cacheFolder), scanWith(`${cacheFolder}-${cold++}`)])
      await rm(`${cacheFolder}-${cold - 1}`, { recursive: true, force: true })
      assert.deepEqual(verdict(warm), verdict(fresh))
      const { changed: _, ...whole } = input
      const full = await scan(dir, whole)
      assert.deepEqual(warm.scopes, full.scopes)
      const own = full.findings.filter(({ rule }) => rule !== 'bundle-failed')
      assert.deepEqual(warm.findings, own)
    }),
    { numRuns: 15, seed: 4 },
  )
})

test('a cache of other rules, a torn one or one with a byte changed counts as absent', async (context) => {
  const { dir, cacheFolder, scanWith } = await repository(context)
  await writeFile(path.join(dir, 'src/a.ts'), 'process.env.A\n')
  const first = verdict(await scanWith(cacheFolder))
  const [name] = await readdir(cacheFolder)
  const file = path.join(cacheFolder, name ?? '')
  const bytes = await readFile(file)
  for (const at of [5, 30, 100, bytes.length - 3]) {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] ?? 0) ^ 1
    await writeFile(file, changed)
    assert.deepEqual(verdict(await scanWith(cacheFolder)), first)
  }
  await writeFile(file, bytes.subarray(0, -7))
  assert.deepEqual(verdict(await scanWith(cacheFolder)), first)
  await appendFile(file, 'half a record')
  assert.deepEqual(verdict(await scanWith(cacheFolder)), first)
})

test('a scan that is not asked for changes alone neither reads nor writes a cache', async (context) => {
  const { dir, cacheFolder } = await repository(context)
  await writeFile(path.join(dir, 'src/a.ts'), 'process.env.A\n')
  const { changed: _, ...whole } = input
  const report = await scan(dir, { ...whole, cacheFolder })
  assert.ok(report.findings.some(({ rule }) => rule === 'environment'))
  assert.deepEqual(await readdir(cacheFolder), [])
})

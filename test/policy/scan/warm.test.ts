import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import type { ScanReport } from '../../../policy/finding.ts'
import { scan } from '../support/scan.ts'
import { catalog, operations } from '../support/catalog.ts'
import { edit, entry, names, textOf } from '../support/edits.ts'
import { manifest, moduleFolder, writeFiles } from '../support/module.ts'

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
    fc.asyncProperty(edit, async (edited) => {
      await writeFiles(dir, { [`src/${edited.file}.ts`]: textOf(edited) })
      const [warm, fresh] = await Promise.all([scanWith(cacheFolder), scanWith(`${cacheFolder}-${cold++}`)])
      await rm(`${cacheFolder}-${cold - 1}`, { recursive: true, force: true })
      assert.deepEqual(verdict(warm), verdict(fresh))
      const { changed: _, ...whole } = input
      const full = await scan(dir, whole)
      assert.deepEqual(warm.scopes, full.scopes)
      const own = full.findings.filter(({ rule }) => rule !== 'bundle-failed')
      assert.deepEqual(warm.findings, own)
    }),
    { numRuns: 8, seed: 4 },
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

test('a cache of which parts are gone, or that cannot be opened, makes a scan slower and no other', async (context) => {
  const { dir, cacheFolder, scanWith } = await repository(context)
  const write = (line: string) => writeFile(path.join(dir, 'src/a.ts'), `${line}\nprocess.env.A\n`)
  await write('export const one = 1')
  const first = verdict(await scanWith(cacheFolder))
  const [name] = await readdir(cacheFolder)
  for (const part of ['facts', 'heard', 'index']) {
    const database = new DatabaseSync(path.join(cacheFolder, name ?? ''))
    database.exec(`delete from kept where key like '${part}%'`)
    database.close()
    await write(`export const one = () => ${part.length}`)
    assert.deepEqual(verdict(await scanWith(cacheFolder)), first, part)
  }
  await writeFile(path.join(cacheFolder, 'file'), '')
  assert.deepEqual(verdict(await scanWith(path.join(cacheFolder, 'file/folder'))), first)
})

test('a scan that is not asked for changes alone neither reads nor writes a cache', async (context) => {
  const { dir, cacheFolder } = await repository(context)
  await writeFile(path.join(dir, 'src/a.ts'), 'process.env.A\n')
  const { changed: _, ...whole } = input
  const report = await scan(dir, { ...whole, cacheFolder })
  assert.ok(report.findings.some(({ rule }) => rule === 'environment'))
  assert.deepEqual(await readdir(cacheFolder), [])
})

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { analyseFile } from '../../../policy/scan/analyse-file.ts'
import { createLinter } from '../../../policy/scan/lint-file.ts'
import { installedPackages } from '../../../policy/scan/parser/installed.ts'
import { keep } from '../../../policy/scan/parser/keep.ts'
import { codeFile, keptFolder, loadKept } from '../../../policy/scan/parser/kept.ts'

const kept = mkdtempSync(join(tmpdir(), 'partner-parser-'))
after(() => rmSync(kept, { recursive: true, force: true }))
await keep(kept)

test('the parser that is kept says of every file what the installed one says', () => {
  const packages = loadKept(kept)
  assert.ok(packages)
  const [fast, plain] = [createLinter(packages), createLinter(installedPackages())]
  const files = globSync(['modules/**/*.ts', 'policy/rules/**/*.ts', 'partner-services/sdk/*.ts'])
  assert.ok(files.length > 60)
  for (const file of files) {
    const job = { file, text: readFileSync(file, 'utf8'), kind: 'own' } as const
    assert.deepEqual(analyseFile(fast, job), analyseFile(plain, job), file)
  }
})

test('it is kept compiled for processes that parse SQL and for those that do not', () => {
  const kind = new URL('../../../policy/scan/parser/kept.ts', import.meta.url).href
  const asks = `import(${JSON.stringify(kind)}).then(({ loadKept }) => console.log(Object.keys(loadKept(${JSON.stringify(kept)}) ?? {}).join()))`
  for (const options of [[], ['--liftoff-only', '--min-semi-space-size=16', '--permission', '--allow-fs-read=*']]) {
    const answer = execFileSync(process.execPath, [...options, '--disable-warning=ExperimentalWarning', '-e', asks])
    assert.equal(String(answer).trim(), 'ts,astConverter,scopes,Linter', options.join(' '))
  }
})

test('what is not whole, or nowhere, is not used, and made again', async () => {
  assert.ok(!loadKept(join(kept, 'nowhere')))
  truncateSync(codeFile(keptFolder(kept)), 100_000)
  assert.ok(!loadKept(kept))
  await keep(kept)
  assert.ok(loadKept(kept))
  assert.deepEqual(readdirSync(kept), [keptFolder(kept).slice(kept.length + 1)])
})

import assert from 'node:assert/strict'
import { mkdir, symlink } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { createScanner } from '../../../policy/scan/scan.ts'
import { catalog, operations } from '../support/catalog.ts'
import { brief, manifest, moduleFolder, scanFiles } from '../support/module.ts'
import { scan } from '../support/scan.ts'

const entry = "import { defineModule } from '@partner/sdk'\nexport default defineModule({})\n"
const megabytes = (count: number) => count * 1024 * 1024

test('a file that is no TypeScript is file-not-parsable at its line', async (context) => {
  const report = await scanFiles(context, { 'src/index.ts': entry, 'src/bad.ts': 'const a = 1\nconst = 2\n' })
  assert.deepEqual(brief(report), ['file-not-parsable src/bad.ts:2'])
})

test('100,000 nested brackets are file-not-parsable, in time', async (context) => {
  const deep = `const a = 1\nexport const b = ${'['.repeat(100_000)}${']'.repeat(100_000)}\n`
  const report = await scanFiles(context, { 'src/index.ts': entry, 'src/deep.ts': deep })
  assert.deepEqual(
    report.findings.map(({ rule, file }) => [rule, file]),
    [['file-not-parsable', 'src/deep.ts']],
  )
  assert.ok(report.ms < 60_000)
})

test('a source file of 10 MB is file-too-large', async (context) => {
  const report = await scanFiles(context, {
    'src/index.ts': entry,
    'src/big.ts': Buffer.alloc(megabytes(10), 'a = 1\n'),
  })
  assert.deepEqual(brief(report), ['file-too-large src/big.ts:1'])
})

test('a binary named .ts is file-not-text, at the line of the first bad byte', async (context) => {
  const files = {
    'src/index.ts': entry,
    'src/a.ts': Buffer.from([0x61, 0x0a, 0x00, 0x01]),
    'src/b.ts': Buffer.from([0x61, 0x0a, 0x0a, 0xff, 0xfe]),
  }
  assert.deepEqual(brief(await scanFiles(context, files)), ['file-not-text src/a.ts:2', 'file-not-text src/b.ts:3'])
})

test('symbolic links are link-outside and are not followed', async (context) => {
  const dir = await moduleFolder(context, {
    'module/manifest.json': manifest(),
    'module/src/index.ts': entry,
    'outside/a.ts': 'eval(x)',
  })
  const module = path.join(dir, 'module')
  await symlink('../../outside/a.ts', path.join(module, 'src/link.ts'))
  await symlink('../outside', path.join(module, 'folder'))
  await symlink('..', path.join(module, 'loop'))
  await symlink('/nowhere', path.join(module, 'src/dangling.ts'))
  const report = await scan(module, { catalog, operations })
  assert.deepEqual(
    brief(report),
    ['folder', 'loop', 'src/dangling.ts', 'src/link.ts'].map((file) => `link-outside ${file}:1`),
  )
})

test('a folder of no manifest is manifest-missing, and one that is no JSON is manifest-not-json at its line', async (context) => {
  const without = await moduleFolder(context, { 'src/index.ts': entry })
  assert.deepEqual(brief(await scan(without, { catalog, operations })), ['manifest-missing manifest.json:1'])
  const report = await scanFiles(context, { 'src/index.ts': entry, 'manifest.json': '{\n  "moduleId": clubs\n}' })
  assert.deepEqual(brief(report), ['manifest-not-json manifest.json:2'])
  const comma = '{\n  "moduleId": "clubs",\n  "scopes": [],\n}\n'
  const { findings } = await scanFiles(context, { 'src/index.ts': entry, 'manifest.json': comma })
  assert.deepEqual(
    findings.map(({ line, column, message }) => [line, column, message]),
    [[4, 1, 'Expected double-quoted property name in JSON']],
  )
})

test('a manifest of 100,000 nested lists is refused, not thrown', async (context) => {
  const report = await scanFiles(context, {
    'src/index.ts': entry,
    'manifest.json': `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
  })
  assert.deepEqual(
    report.findings.map((finding) => finding.file),
    ['manifest.json'],
  )
})

test('a manifest fault is reported at the line of its field', async (context) => {
  const report = await scanFiles(context, {
    'src/index.ts': entry,
    'manifest.json': manifest({ scopes: [{ key: 'education.lunches.read', reason: 'x' }] }),
  })
  assert.deepEqual(brief(report), ['scope-invented manifest.json:10', 'scope-unused manifest.json:10'])
})

test('an npm dependency with machine code is native-code', async (context) => {
  const report = await scanFiles(context, {
    'src/index.ts': `import 'fast'\nimport 'built'\n${entry}`,
    'node_modules/fast/package.json': '{"name": "fast", "main": "index.js"}',
    'node_modules/fast/index.js': "module.exports = require('./fast.node')",
    'node_modules/fast/fast.node': Buffer.from([0x7f, 0x45, 0x4c, 0x46]),
    'node_modules/built/package.json': '{"name": "built", "main": "index.js"}',
    'node_modules/built/index.js': 'export default 1',
    'node_modules/built/binding.gyp': '{}',
  })
  assert.deepEqual(brief(report), [
    'native-code node_modules/built/binding.gyp:1',
    'native-code node_modules/fast/index.js:1',
  ])
})

test('network, dynamic code, built-ins and environment are found in every npm file of the bundle', async (context) => {
  const report = await scanFiles(context, {
    'src/index.ts': `import 'lib'\n${entry}`,
    'node_modules/lib/package.json': '{"name": "lib", "main": "index.js"}',
    'node_modules/lib/index.js': "import './inner.js'\nimport 'deep'\n",
    'node_modules/lib/inner.js': "fetch('https://x.example')\nnew Function('x')\n",
    'node_modules/lib/unused.js': 'eval(x)',
    'node_modules/deep/package.json': '{"name": "deep", "main": "index.js"}',
    'node_modules/deep/index.js': "const fs = require('fs')\nprocess.exit()\n",
  })
  assert.deepEqual(brief(report), [
    'node-builtin node_modules/deep/index.js:1',
    'environment node_modules/deep/index.js:2',
    'network node_modules/lib/inner.js:1',
    'dynamic-code node_modules/lib/inner.js:2',
  ])
})

test('a package that is not installed is bundle-failed at its import, and an embedded module without code too', async (context) => {
  assert.deepEqual(brief(await scanFiles(context, { 'src/index.ts': `${entry}import 'absent'\n` })), [
    'bundle-failed src/index.ts:3',
  ])
  assert.deepEqual(brief(await scanFiles(context, { 'src/other.ts': '' })), ['bundle-failed src/index.ts:1'])
})

test('an import of what a file does not export is bundle-failed at its name, and of a type without `type` is none', async (context) => {
  const files = {
    'src/index.ts': `import { help } from './help.ts'\nimport { type A, B } from './types.ts'\n${entry}export const b: B = help()`,
    'src/types.ts': 'export type A = string\nexport type B = A\n',
  }
  const forgotten = await scanFiles(context, { ...files, 'src/help.ts': "function help() { return '' }\n" })
  assert.deepEqual(brief(forgotten), ['bundle-failed src/index.ts:1'])
  assert.match(forgotten.findings[0]!.message, /"help".*src\/help\.ts/)
  assert.deepEqual(brief(await scanFiles(context, { ...files, 'src/help.ts': "export const help = () => ''\n" })), [])
})

test('a name that files hand on, and that nobody exports, is bundle-failed where it is used: the bundle would mean the global', async (context) => {
  const files = {
    'src/index.ts': `import { nothing as Math, here, T } from './all.ts'\nimport { nothing as self, Shape } from 'lib'\n${entry}export const b = (now: T) => [here(), { Math }, self] as Shape<T>\n`,
    'src/all.ts':
      "import { more } from './help.ts'\nexport { nothing, T } from './help.ts'\nexport { more }\nexport const here = () => more()\n",
    'src/help.ts': 'export type T = string\nfunction more() {}\n',
    'node_modules/lib/package.json': '{"name": "lib", "main": "index.ts"}',
    'node_modules/lib/index.ts': "export { nothing, type Shape } from './inner.js'\n",
    'node_modules/lib/inner.js': 'export const other = 1\n',
  }
  const forgotten = await scanFiles(context, files)
  assert.deepEqual(
    forgotten.findings.map(({ rule, file, line, column, message }) => [
      rule,
      file,
      line,
      column,
      /"(.*?)"/.exec(message)?.[1],
    ]),
    [
      ['bundle-failed', 'src/all.ts', 4, 27, 'more'],
      ['bundle-failed', 'src/index.ts', 5, 41, 'Math'],
      ['bundle-failed', 'src/index.ts', 5, 49, 'self'],
    ],
  )
  const exported = { 'src/help.ts': 'export type T = string\nexport function more() {}\nexport const nothing = 1\n' }
  const inner = { 'node_modules/lib/inner.js': 'export const nothing = 1\n' }
  assert.deepEqual(brief(await scanFiles(context, { ...files, ...exported, ...inner })), [])
})

test('a relative import that leads nowhere is import-unresolved', async (context) => {
  const report = await scanFiles(context, { 'src/index.ts': `${entry}import './absent.ts'\n` })
  assert.ok(brief(report).includes('import-unresolved src/index.ts:3'))
})

test('a path alias leads nowhere, for the scan as for the bundle', async (context) => {
  const dir = await moduleFolder(context, {
    'module/manifest.json': manifest(),
    'module/src/index.ts': `import 'alias'\n${entry}`,
    'module/tsconfig.json': '{"compilerOptions": {"paths": {"alias": ["../outside/a.ts"]}}}',
    'outside/a.ts': 'export {}',
  })
  assert.deepEqual(brief(await scan(path.join(dir, 'module'), { catalog, operations })), [
    'bundle-failed src/index.ts:1',
  ])
})

test('a package that is a link out of the folder is module-import', async (context) => {
  const dir = await moduleFolder(context, {
    'module/manifest.json': manifest(),
    'module/src/index.ts': `import 'linked'\n${entry}`,
    'outside/index.js': 'export {}',
  })
  await mkdir(path.join(dir, 'module/node_modules'))
  await symlink('../../outside', path.join(dir, 'module/node_modules/linked'))
  const report = await scan(path.join(dir, 'module'), { catalog, operations })
  assert.deepEqual(brief(report), ['module-import ../outside/index.js:1'])
})

test('code hidden in a test folder or a dot folder is scanned once the bundle imports it', async (context) => {
  const report = await scanFiles(context, {
    'src/index.ts': `import '../test/a.ts'\n${entry}`,
    'test/a.ts': "import '../.b/c'",
    '.b/c.ts': 'eval(1)',
    'test/unused.test.ts': "import 'node:test'",
  })
  assert.deepEqual(brief(report), ['dynamic-code .b/c.ts:1'])
})

test('data that looks like the beginning of a secret at every place does not hold up the scan', async (context) => {
  const files = { 'src/sums.txt': 'a+'.repeat(450_000), 'src/tokens.csv': 'eyJ-'.repeat(240_000) }
  const report = await scanFiles(context, { 'src/index.ts': entry, ...files })
  assert.deepEqual(brief(report), [])
})

test('a secret in data or a migration is found at its line; tests, prose and texts about secrets are left alone', async (context) => {
  const key = 'AKIAIOSFODNN7EXAMPLE'
  const report = await scanFiles(context, {
    'src/index.ts': `import keys from './keys.json'\nexport const kept = keys\n${entry}`,
    'src/keys.json': '{\n  "region": "me-south-1",\n  "apiKey": "q8Zt0vX2mK7sB4nLw1"\n}\n',
    'src/plain.json': '{"password": "Your new password", "secret": "settings.secret.label"}',
    'src/texts.txt': `one\n${key}\n`,
    'migrations/2026_01_01_000001_a.sql': `create table a (\n  id char(26) primary key,\n  k text default '${key}'\n);`,
    'test/fixture.json': JSON.stringify({ key }),
    'README.md': `Set KEY=${key}`,
  })
  assert.deepEqual(brief(report), [
    'secret-in-source migrations/2026_01_01_000001_a.sql:3',
    'secret-in-source src/keys.json:3',
    'secret-in-source src/texts.txt:2',
  ])
})

test('an environment file in the folder is an error', async (context) => {
  assert.deepEqual(brief(await scanFiles(context, { 'src/index.ts': entry, '.env': 'A=1' })), [
    'environment-file .env:1',
  ])
})

/** So many functions of honest code: about half a millisecond of work each. */
const functions = (count: number) =>
  Array.from(
    { length: count },
    (_, index) => `export const f${index} = ({ a, b }) => [a, b, { c: a.d(${index}) }].map((one) => one.c ?? one)`,
  ).join('\n')

test('a file the parser does not finish is file-timeout, and the files after it are scanned all the same', async (context) => {
  const files = {
    'src/index.ts': entry,
    'src/a.ts': 'export const a = 1',
    'src/b.ts': functions(8_000),
    'src/c.ts': 'eval(1)',
  }
  const report = await scanFiles(context, files, { limits: { fileMs: 200, workers: 1 } })
  assert.deepEqual(brief(report), ['file-timeout src/b.ts:1', 'dynamic-code src/c.ts:1'])
})

test('a folder of too many files is too-many-files', async (context) => {
  const dir = await moduleFolder(context, { 'manifest.json': manifest(), 'src/index.ts': entry })
  await mkdir(path.join(dir, 'empty'))
  const report = await scan(dir, { catalog, operations, limits: { files: 1 } })
  assert.ok(report.findings.some((finding) => finding.rule === 'too-many-files'))
})

test('a scan that takes too long is ended with an error, never a hang', async (context) => {
  const dir = await moduleFolder(context, { 'manifest.json': manifest(), 'src/index.ts': entry })
  await assert.rejects(scan(dir, { catalog, operations, limits: { scanMs: 1 } }), /took longer than 1 ms/)
})

test('a scanner that is kept scans on after a folder it could not scan, one after another', async (context) => {
  const files = { 'manifest.json': manifest(), 'src/index.ts': 'export default 1' }
  const dir = await moduleFolder(context, files)
  const scanner = createScanner()
  context.after(() => scanner.close())
  const input = { catalog, operations }
  const [first, refused, second] = await Promise.allSettled([
    scanner.scan(dir, input),
    scanner.scan(`${dir}-is-not-there`, input),
    scanner.scan(dir, input),
  ])
  assert.match(String(refused.status === 'rejected' && refused.reason), /is no folder/)
  assert.ok(first.status === 'fulfilled' && second.status === 'fulfilled')
  assert.deepEqual(second.value.findings, first.value.findings)
  assert.deepEqual(first.value.findings, (await scan(dir, input)).findings)
})

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cp } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { bundleModule } from '../../../host/bundling/bundle.ts'
import { scan } from '../support/scan.ts'
import { catalog, operations } from '../support/catalog.ts'
import { brief, type Files, manifest, moduleFolder, scanFiles } from '../support/module.ts'

const module = (imports: string) =>
  `import { defineModule, json } from '@partner/sdk'\n${imports}
export default defineModule({ routes: { 'GET /': () => json(1) } })\n`
const evil = 'globalThis.done = eval("1")\nexport const value = 1\n'
const clean = 'export const value = 1\n'
const packageOf = (description: object) => JSON.stringify({ name: 'lib', version: '1.0.0', ...description })

/** What the bundle takes and a scan with its own idea of resolving would not see. */
const attacks: Record<string, Record<string, string>> = {
  'a package with another entry for other bundlers': {
    'src/index.ts': module("import { value } from 'lib'\nglobalThis.kept = value"),
    'node_modules/lib/package.json': packageOf({
      exports: { '.': { module: './clean.js', import: './evil.js', default: './clean.js' } },
    }),
    'node_modules/lib/clean.js': clean,
  },
  'a path alias that only a type checker follows': {
    'src/index.ts': module("import { value } from 'lib'\nglobalThis.kept = value"),
    'tsconfig.json': JSON.stringify({ compilerOptions: { baseUrl: '.', paths: { lib: ['./src/clean.ts'] } } }),
    'src/clean.ts': clean,
    'node_modules/lib/package.json': packageOf({ main: 'evil.js' }),
  },
  'a package with another file for browsers': {
    'src/index.ts': module("import { value } from 'lib'\nglobalThis.kept = value"),
    'node_modules/lib/package.json': packageOf({ main: 'clean.js', browser: { './clean.js': './evil.js' } }),
    'node_modules/lib/clean.js': clean,
  },
  'a part of Node that a package stands for': {
    'src/index.ts': module("import 'lib'"),
    'node_modules/lib/package.json': packageOf({ main: 'main.js', browser: { fs: './evil.js' } }),
    'node_modules/lib/main.js': "require('fs')\n",
  },
  'an import of which nothing is used': {
    'src/index.ts': module("import { value } from 'lib'"),
    'node_modules/lib/package.json': packageOf({ main: 'evil.js' }),
  },
}

test('packages that are installed above the module are read like its own', async (context) => {
  const folder = await moduleFolder(context, {
    'apps/one/manifest.json': manifest(),
    'apps/one/src/index.ts': module("import 'lib'"),
    'node_modules/lib/package.json': packageOf({ main: 'evil.js' }),
    'node_modules/lib/evil.js': evil,
  })
  const report = await scan(path.join(folder, 'apps/one'), { catalog, operations })
  assert.deepEqual(brief(report), ['dynamic-code ../../node_modules/lib/evil.js:1'])
})

test('a part of Node is no demand where the package leaves it out for browsers, or another one stands for it', async (context) => {
  const uses = "module.exports = [require('crypto'), require('events'), require('zlib')]\n"
  const report = await scanFiles(context, {
    'src/index.ts': module("import 'lib'"),
    'node_modules/lib/package.json': packageOf({ main: 'main.js', browser: { crypto: false } }),
    'node_modules/lib/main.js': uses,
    'node_modules/events/package.json': JSON.stringify({ name: 'events', main: 'main.js' }),
    'node_modules/events/main.js': 'module.exports = class Events {}\n',
  })
  assert.deepEqual(
    report.findings.map(({ rule, file, message }) => [rule, file, message.split(' is ')[0]]),
    [['node-builtin', 'node_modules/lib/main.js', '`zlib`']],
  )
})

test("a folder whose name ends like that of the packages is the module's own, and judged so", async (context) => {
  const report = await scanFiles(context, {
    'src/index.ts': module("import { value } from './old_node_modules/lib.ts'\nconsole.log(value)"),
    'src/old_node_modules/lib.ts': 'const { constructor: value } = {}\nexport { value }\n',
  })
  assert.deepEqual(brief(report), ['dynamic-code src/old_node_modules/lib.ts:1'])
})

test('a file without an ending is code for the bundle, and read like other code', async (context) => {
  const files = {
    'src/index.ts': module("import { value } from './hidden'\nglobalThis.kept = value"),
    'src/hidden': evil,
  }
  const folder = await moduleFolder(context, { 'manifest.json': manifest(), ...files })
  assert.ok((await bundleModule(folder)).files.includes('src/hidden'), 'it is in the bundle')
  assert.deepEqual(brief(await scanFiles(context, files)), ['dynamic-code src/hidden:1'])
})

test('an import that leads the bundle to another file than the scan is refused, by a scan of changes alone too', async (context) => {
  const folder = await moduleFolder(context, {
    'manifest.json': manifest(),
    'src/index.ts': module("import { all } from './lib'\nimport { one } from './one.ts'\nglobalThis.kept = [all, one]"),
    'src/one.ts': 'export const one = 1\n',
    'src/lib/package.json': packageOf({ main: 'other.js' }),
    'src/lib/index.ts': 'export const all = (services) => 1\n',
    'src/lib/other.js': 'export const all = (services) => services.education.students.list({})\n',
  })
  assert.ok((await bundleModule(folder)).files.includes('src/lib/other.js'), 'it is in the bundle')
  const report = await scan(folder, { catalog, operations })
  assert.deepEqual(brief(report), ['import-unresolved src/index.ts:2'])
  assert.match(report.findings[0]!.message, /`src\/lib\/other\.js` in the bundle/)
  const git = (...args: string[]) => execFileSync('git', ['-C', folder, ...args], { stdio: 'pipe' })
  git('init', '--quiet')
  const changed = git('hash-object', '-t', 'tree', '/dev/null').toString().trim()
  assert.deepEqual(brief(await scan(folder, { catalog, operations, changed, cacheFolder: folder })), brief(report))
})

test('code in the address of an import is refused, in an npm file too', async (context) => {
  const address = 'data:text/javascript,export const value = eval(1)'
  const report = await scanFiles(context, {
    'src/index.ts': module("import { value } from 'lib'\nglobalThis.kept = value"),
    'node_modules/lib/package.json': packageOf({ main: 'a.js' }),
    'node_modules/lib/a.js': `export { value } from '${address}'`,
  })
  assert.deepEqual(brief(report), [`module-import <${address}>:1`])
})

for (const [name, files] of Object.entries(attacks)) {
  test(`the scan reads what the bundle is made of: ${name}`, async (context) => {
    const all = { ...files, 'node_modules/lib/evil.js': evil }
    const folder = await moduleFolder(context, { 'manifest.json': manifest(), ...all })
    assert.ok((await bundleModule(folder)).files.includes('node_modules/lib/evil.js'), 'it is in the bundle')
    const report = await scanFiles(context, all)
    assert.ok(brief(report).includes('dynamic-code node_modules/lib/evil.js:1'), brief(report).join('\n'))
  })
}

for (const mark of ['?x', '#x', '?x.json', '?y.js']) {
  test(`a file imported with ${mark} behind its name is refused, by the scan and by the bundle`, async (context) => {
    const lib = {
      'node_modules/lib/package.json': packageOf({ main: 'main.js' }),
      'node_modules/lib/main.js': '',
      'node_modules/lib/evil.js': evil,
    }
    const forms: Files[] = [
      { 'src/index.ts': module(`import 'lib/evil.js${mark}'`), ...lib },
      { 'src/index.ts': module("import 'lib'"), ...lib, 'node_modules/lib/main.js': `require('./evil.js${mark}')` },
      { 'src/index.ts': module(`import './evil.js${mark}'`), 'src/evil.js': 'export default 1' },
    ]
    for (const [at, files] of forms.entries()) {
      const found = brief(await scanFiles(context, files))
      assert.ok(
        found.includes(`import-unresolved ${at === 1 ? 'node_modules/lib/main.js' : 'src/index.ts'}:1`),
        found.join('\n'),
      )
      const folder = await moduleFolder(context, { 'manifest.json': manifest(), ...files })
      await assert.rejects(bundleModule(folder), { code: 'import_refused', message: /a file is imported by its name/ })
    }
  })
}

test('data is bundled by its ending, or by the attribute that an import has', async (context) => {
  const files = {
    'src/index.ts': module(
      "import a from './a.json'\nimport b from './b.json' with { type: 'json' }\nimport d from './b.json'\nimport c from './c.txt'\nimport 'lib'\nconsole.log(a, b, c, d)",
    ),
    'src/a.json': '{"a": 1}',
    'src/b.json': '{"b": 1}',
    'src/c.txt': 'text',
    'node_modules/lib/package.json': packageOf({ main: 'main.js' }),
    'node_modules/lib/main.js': "module.exports = require('./package.json').name\n",
  }
  assert.deepEqual(brief(await scanFiles(context, files)), [])
})

test('a package that only asks whether `process` is there, as the one for dates of other calendars does, is taken', async (context) => {
  const folder = await moduleFolder(context, {
    'manifest.json': manifest(),
    'src/index.ts': module(
      "import { Temporal } from 'temporal-polyfill'\nconsole.log(Temporal.Now.plainDateISO('Asia/Riyadh'))",
    ),
  })
  const installed = path.resolve(import.meta.dirname, '../../../node_modules')
  for (const name of ['temporal-polyfill', 'temporal-utils'])
    await cp(path.join(installed, name), path.join(folder, 'node_modules', name), { recursive: true })
  assert.deepEqual(brief(await scan(folder, { catalog, operations })), [])
})

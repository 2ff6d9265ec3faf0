import assert from 'node:assert/strict'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createContext, runInContext } from 'node:vm'
import { bundleModule } from '../../host/bundling/bundle.ts'
import { BundleError } from '../../host/bundling/bundle-error.ts'
import { moduleFolder, moduleWith } from './module-folder.ts'

const plain = moduleWith(`'GET /': () => html\`<p>\${name}</p>\``, "import { name } from './name.ts'")

async function refusal(context: TestContext, files: Record<string, string>): Promise<BundleError> {
  const folder = moduleFolder(context, files)
  const error = await bundleModule(folder).then(
    () => assert.fail('it was bundled'),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof BundleError, String(error))
  assert.ok(!error.message.includes(folder), 'a path of the machine')
  return error
}

test('the same files give the same bytes in any folder, and no path of the machine', async (context) => {
  const files = { 'src/index.ts': plain, 'src/name.ts': "export const name = 'x'\n" }
  const folders = [moduleFolder(context, files), moduleFolder(context, files)]
  const [first, second] = await Promise.all(folders.map(bundleModule))
  assert.equal(first!.hash, second!.hash)
  assert.equal(first!.sourceMap, second!.sourceMap)
  assert.deepEqual(first!.files, ['src/index.ts', 'src/name.ts'])
  const repository = fileURLToPath(new URL('../../', import.meta.url))
  for (const text of [first!.code, first!.sourceMap]) {
    for (const path of [...folders, repository]) assert.ok(!text.includes(path.replace(/\/$/, '')), path)
  }
})

test('the modules of this repository are bundled, each in well under a second', async () => {
  for (const slug of ['library', 'attendance']) {
    const folder = fileURLToPath(new URL(`../../modules/${slug}`, import.meta.url))
    let fastest = Number.POSITIVE_INFINITY
    for (let attempt = 0; attempt < 5 && fastest >= 1_000; attempt++) {
      const start = performance.now()
      const { code, files } = await bundleModule(folder)
      fastest = Math.min(fastest, performance.now() - start)
      assert.ok(code.length < 100_000 && files.includes('src/index.ts'))
    }
    assert.ok(fastest < 1_000, `${slug}: ${fastest} ms`)
  }
})

test('an npm package finds what it would find in a browser: defaults of CommonJS as its kind has them, and `self`', async (context) => {
  const { code } = await bundleModule(
    moduleFolder(context, {
      'src/index.ts': moduleWith('', "import { value } from 'outer'\n;(globalThis as { seen?: unknown }).seen = value"),
      'node_modules/outer/package.json': '{"name": "outer", "main": "main.js", "type": "module"}',
      'node_modules/outer/main.js':
        "import inner from 'inner'\nexport const value = [inner.name, self.Array === Array]\n",
      'node_modules/inner/package.json': '{"name": "inner", "main": "main.js"}',
      'node_modules/inner/main.js': "exports.__esModule = true\nexports.name = 'inner'\n",
    }),
  )
  const place: { seen?: unknown } = createContext({})
  runInContext(code, place)
  assert.equal(JSON.stringify(place.seen), '["inner",true]')
})

test('code that does not compile is refused with its file, line and column', async (context) => {
  const { code, findings } = await refusal(context, {
    'src/index.ts': plain,
    'src/name.ts': 'export const name = 1\nexport const other = }\n',
  })
  assert.equal(code, 'compile_error')
  assert.deepEqual(findings[0], { file: 'src/name.ts', line: 2, column: 22, message: 'Unexpected "}"' })
})

test('an import of what one of its own files does not export is refused at its name, and a package may be asked for more than it has', async (context) => {
  const uses = 'console.log(help(), own.more, lib.more, sdk.more)'
  const files = {
    'src/index.ts': `import * as lib from 'lib'; import * as sdk from '@partner/sdk'\nimport { help } from './help.ts'\nimport * as own from './own.ts'\n${moduleWith('', uses)}`,
    'src/help.ts': 'function help() {}\n',
    'src/own.ts': 'export const other = 1\n',
    'node_modules/lib/index.js': "import * as inner from './inner.js'\nexport const less = inner.more\n",
    'node_modules/lib/inner.js': 'export const less = 1\n',
  }
  const { code, findings } = await refusal(context, files)
  assert.equal(code, 'compile_error')
  assert.deepEqual(
    findings.map(({ file, line, message }) => `${file}:${line} ${message}`.slice(0, 50)),
    ['src/index.ts:2 Import "help" will always be undefi', 'src/index.ts:5 Import "more" will always be undefi'],
  )
  const exported = { 'src/help.ts': 'export function help() {}\n', 'src/own.ts': 'export const more = 1\n' }
  await bundleModule(moduleFolder(context, { ...files, ...exported }))
})

test('a name that files hand on, and that nobody exports, is refused where it is used: the script would mean the global', async (context) => {
  const files = {
    'src/index.ts': `import { nothing as Math, nothing as Function, use, type T } from './all.ts'\nimport { no } from './sdk.ts'; import 'lib/index.cjs'\n${moduleWith('', '(Math as { kept?: T }).kept ??= use(no, Function)')}`,
    'src/all.ts': "export * from './use.ts'\nexport { nothing, T } from './help.ts'\n",
    'src/help.ts': 'export type T = string\n',
    'src/use.ts': 'export const use = (...all: unknown[]) => String(all)\n',
    'src/sdk.ts': "export { no } from '@partner/sdk'\n",
    'node_modules/lib/index.cjs': 'exports.a = () => Math.max(1, Math2)\n',
  }
  const { code, findings } = await refusal(context, files)
  assert.equal(code, 'compile_error')
  assert.deepEqual(
    findings.map(({ file, line, message }) => [file, line, /"(.*?)"/.exec(message)?.[1]]),
    ['Math', 'no', 'Function'].map((name) => ['src/index.ts', 4, name]),
  )
  const exported = {
    'src/help.ts': 'export type T = string\nexport const nothing = 1\n',
    'src/sdk.ts': "export { html as no } from '@partner/sdk'\n",
  }
  await bundleModule(moduleFolder(context, { ...files, ...exported }))
})

test('a module without a default export is refused', async (context) => {
  for (const index of ['export const a = 1\n', '', 'module.exports = {}\n']) {
    const { code, findings } = await refusal(context, { 'src/index.ts': index })
    assert.equal(code, 'no_module', index)
    assert.match(findings[0]!.message, /export default defineModule/)
  }
  assert.equal((await refusal(context, { 'readme.md': '' })).code, 'no_module')
})

test("Node's own modules, addresses and unknown packages are refused where they are imported", async (context) => {
  const specifiers = [
    'node:fs',
    'fs',
    'fs/promises',
    'https://example.com/x.js',
    'data:text/javascript,1',
    'no-such-package',
  ]
  for (const specifier of [...specifiers, '@partner/sdk/testing', '@partner/sdk/../../host/main.ts']) {
    const { code, findings } = await refusal(context, { 'src/index.ts': moduleWith('', `import '${specifier}'`) })
    assert.equal(code, 'import_refused', specifier)
    assert.deepEqual([findings[0]!.file, findings[0]!.line], ['src/index.ts', 2], specifier)
  }
})

test("files outside the module's folder are refused, also by a symbolic link", async (context) => {
  const outside = moduleFolder(context, { 'secret.json': '{"key":"secret"}', 'secret.ts': 'export const name = 1' })
  for (const path of [`${outside}/secret.json`, `../../${outside.split('/').at(-1)}/secret.ts`]) {
    const { code } = await refusal(context, { 'src/index.ts': moduleWith('', `import '${path}'`) })
    assert.equal(code, 'import_refused', path)
  }
  const folder = moduleFolder(context, { 'src/index.ts': plain })
  symlinkSync(join(outside, 'secret.ts'), join(folder, 'src/name.ts'))
  await assert.rejects(bundleModule(folder), { code: 'import_refused' })
})

test('a package in the folder is bundled; one that needs Node is refused', async (context) => {
  const packageFiles = (name: string, code: string) => ({
    [`node_modules/${name}/package.json`]: JSON.stringify({ name, version: '1.0.0', main: 'main.js' }),
    [`node_modules/${name}/main.js`]: code,
  })
  const folder = moduleFolder(context, {
    'src/index.ts': moduleWith("'GET /': () => double(2)", "import double from 'doubler'"),
    ...packageFiles('doubler', 'module.exports = (n) => n * 2\n'),
  })
  assert.deepEqual((await bundleModule(folder)).files, ['node_modules/doubler/main.js', 'src/index.ts'])
  const { code } = await refusal(context, {
    'src/index.ts': moduleWith('', "import 'reader'"),
    ...packageFiles('reader', "require('fs')\n"),
  })
  assert.equal(code, 'import_refused')
})

test('an npm file that asks for process.env.NODE_ENV is bundled for production, without the files of development', async (context) => {
  const folder = moduleFolder(context, {
    'src/index.ts': moduleWith("'GET /': () => json(mode)", "import mode from 'moded'"),
    'node_modules/moded/package.json': JSON.stringify({ name: 'moded', version: '1.0.0', main: 'main.js' }),
    'node_modules/moded/main.js':
      "module.exports = process.env.NODE_ENV === 'production' ? require('./fast.js') : require('./slow.js')\n",
    'node_modules/moded/fast.js': "module.exports = 'fast'\n",
    'node_modules/moded/slow.js': "module.exports = 'slow'\n",
  })
  const { code, files } = await bundleModule(folder)
  assert.ok(!code.includes('process'), 'an isolate has no process')
  assert.deepEqual(files, ['node_modules/moded/fast.js', 'node_modules/moded/main.js', 'src/index.ts'])
})

test("of a package that has an entry for browsers and one for Node, the browsers' is bundled", async (context) => {
  const exported = { '.': { browser: './browser.js', default: './node.js' } }
  const folder = moduleFolder(context, {
    'src/index.ts': moduleWith("'GET /': () => json(make())", "import { make } from 'maker'"),
    'node_modules/maker/package.json': JSON.stringify({ name: 'maker', version: '1.0.0', exports: exported }),
    'node_modules/maker/browser.js': 'export const make = () => crypto.randomUUID()\n',
    'node_modules/maker/node.js': "export { randomUUID as make } from 'node:crypto'\n",
  })
  assert.deepEqual((await bundleModule(folder)).files, ['node_modules/maker/browser.js', 'src/index.ts'])
})

test('a bundle of more than 2 MB is refused', async (context) => {
  const folder = moduleFolder(context, { 'src/index.ts': plain })
  for (const name of ['x'.repeat(2 << 20), 'ب'.repeat(1 << 20)]) {
    writeFileSync(join(folder, 'src/name.ts'), `export const name = '${name}'\n`)
    await assert.rejects(bundleModule(folder), { code: 'too_large', message: /the bundle has 2\d{6} bytes/ })
  }
})

test("the partner's own tsconfig and package.json change nothing of the bundle", async (context) => {
  const files = { 'src/index.ts': plain, 'src/name.ts': "export const name = 'x'\n" }
  const { hash } = await bundleModule(moduleFolder(context, files))
  const settings = { compilerOptions: { target: 'es5', paths: { '@partner/sdk': ['./fake.ts'] }, baseUrl: '.' } }
  const changed = moduleFolder(context, {
    ...files,
    'tsconfig.json': JSON.stringify(settings),
    'fake.ts': 'export const defineModule = () => 1',
    'node_modules/@partner/sdk/index.js': 'export const html = 1',
  })
  assert.equal((await bundleModule(changed)).hash, hash)
})

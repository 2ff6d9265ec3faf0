import assert from 'node:assert/strict'
import { symlinkSync } from 'node:fs'
import { join, relative } from 'node:path'
import { type TestContext, test } from 'node:test'
import { bundleModule } from '../../host/bundling/bundle.ts'
import { readModuleFiles } from '../../host/publishing/source/package-files.ts'
import { moduleFolder, moduleWith } from '../bundling/module-folder.ts'

const index = moduleWith("'GET /': () => json(outer(1))", "import { outer } from 'outer'")
const description = (name: string, more: object = {}) => JSON.stringify({ name, version: '1.0.0', ...more })
/** `outer` uses a folder of `inner`'s that describes itself. */
const packages = (outer: string, inner: string) => ({
  [`${outer}/package.json`]: description('outer', { main: 'lib/main.js' }),
  [`${outer}/lib/main.js`]: "exports.outer = (n) => n + require('inner/part')\n",
  [`${outer}/lib/unused.js`]: 'exports.unused = 1\n',
  [`${outer}/readme.md`]: 'unused',
  [`${inner}/package.json`]: description('inner'),
  [`${inner}/part/package.json`]: JSON.stringify({ main: '../dist/part.js' }),
  [`${inner}/dist/part.js`]: 'module.exports = 2\n',
})

/** What is sent, and that it gives the host the very same bundle. */
async function sent(context: TestContext, folder: string): Promise<string[]> {
  const files = await readModuleFiles(folder)
  const texts = Object.entries(files).map(([path, content]) => [path, Buffer.from(content, 'base64').toString()])
  const there = await bundleModule(moduleFolder(context, Object.fromEntries(texts)))
  const behavesAs = ({ code }: { code: string }) => code.replace(/^ *(\/\/|").*node_modules\/.*$/gm, '')
  assert.equal(behavesAs(there), behavesAs(await bundleModule(folder)))
  return Object.keys(files)
}

const expected = [
  'src/index.ts',
  'node_modules/inner/dist/part.js',
  'node_modules/outer/lib/main.js',
  'node_modules/inner/package.json',
  'node_modules/inner/part/package.json',
  'node_modules/outer/package.json',
]

test('of npm packages the files are sent that the bundle uses, with what describes them', async (context) => {
  const folder = moduleFolder(context, {
    'src/index.ts': index,
    ...packages('node_modules/outer', 'node_modules/inner'),
    'node_modules/never/package.json': description('never'),
    'node_modules/never/index.js': 'exports.never = 1\n',
  })
  assert.deepEqual((await sent(context, folder)).sort(), [...expected].sort())
  const fromHere = relative(process.cwd(), folder)
  assert.deepEqual(await readModuleFiles(fromHere), await readModuleFiles(folder), 'a folder named as an author does')
})

test('of test and hidden folders what the bundle uses is sent, and no more', async (context) => {
  const folder = moduleFolder(context, {
    'src/index.ts': moduleWith("'GET /': () => json(count)", "import { count } from './test/count.ts'"),
    'src/test/count.ts': "export { count } from '../../.shared/count.ts'\n",
    '.shared/count.ts': 'export const count = 5\n',
    '.shared/notes.ts': 'export {}\n',
    'test/module.test.ts': "import 'node:test'\n",
  })
  assert.deepEqual((await sent(context, folder)).sort(), ['.shared/count.ts', 'src/index.ts', 'src/test/count.ts'])
})

test('packages that lie above the module, or in the store of pnpm, are sent as its own', async (context) => {
  const above = moduleFolder(context, {
    'apps/one/src/index.ts': index,
    ...packages('node_modules/outer', 'node_modules/inner'),
  })
  assert.deepEqual((await sent(context, join(above, 'apps/one'))).sort(), [...expected].sort())

  const store = 'node_modules/.pnpm'
  const linked = moduleFolder(context, {
    'src/index.ts': index,
    ...packages(`${store}/outer@1.0.0/node_modules/outer`, `${store}/inner@1.0.0/node_modules/inner`),
  })
  const link = (target: string, path: string) => symlinkSync(target, join(linked, path))
  link('.pnpm/outer@1.0.0/node_modules/outer', 'node_modules/outer')
  link('../../inner@1.0.0/node_modules/inner', `${store}/outer@1.0.0/node_modules/inner`)
  assert.deepEqual((await sent(context, linked)).sort(), [...expected].sort())
})

test('a package that builds machine code says so to the host; two versions at one place are refused', async (context) => {
  const native = { 'node_modules/outer/binding.gyp': '{}', 'node_modules/outer/build/deep/binding.gyp': '{}' }
  const built = moduleFolder(context, {
    'src/index.ts': index,
    ...packages('node_modules/outer', 'node_modules/inner'),
    ...native,
  })
  assert.ok((await sent(context, built)).includes('node_modules/outer/binding.gyp'))

  const store = 'node_modules/.pnpm'
  const twice = moduleFolder(context, {
    'src/index.ts': index,
    ...packages(`${store}/outer@1.0.0/node_modules/outer`, `${store}/inner@1.0.0/node_modules/inner`),
    [`${store}/outer@1.0.0/node_modules/outer/lib/main.js`]:
      "exports.outer = [require('inner/part'), require('other')]\n",
    [`${store}/other@1.0.0/node_modules/other/package.json`]: description('other'),
    [`${store}/other@1.0.0/node_modules/other/index.js`]: "module.exports = require('inner')\n",
    [`${store}/inner@2.0.0/node_modules/inner/package.json`]: description('inner'),
    [`${store}/inner@2.0.0/node_modules/inner/index.js`]: 'module.exports = 3\n',
  })
  for (const [target, path] of [
    ['.pnpm/outer@1.0.0/node_modules/outer', 'node_modules/outer'],
    ['../../inner@1.0.0/node_modules/inner', `${store}/outer@1.0.0/node_modules/inner`],
    ['../../other@1.0.0/node_modules/other', `${store}/outer@1.0.0/node_modules/other`],
    ['../../inner@2.0.0/node_modules/inner', `${store}/other@1.0.0/node_modules/inner`],
  ] as const)
    symlinkSync(target, join(twice, path))
  await assert.rejects(readModuleFiles(twice), /inner\/package\.json: two versions of this package are installed/)
})

test("what a package's browser field leaves out or puts in another's place is so for the host too", async (context) => {
  const folder = moduleFolder(context, {
    'src/index.ts': moduleWith("'GET /': () => json(old)", "import old from 'old'"),
    'node_modules/old/package.json': description('old', {
      main: 'node.js',
      browser: { './node.js': './web.js', './files.js': false, crypto: false },
    }),
    'node_modules/old/node.js': "require('fs')\n",
    'node_modules/old/web.js': "module.exports = [require('./files'), require('crypto'), require('events')]\n",
    'node_modules/old/files.js': "require('fs')\n",
    'node_modules/events/package.json': description('events'),
    'node_modules/events/index.js': 'module.exports = class Events {}\n',
  })
  assert.deepEqual((await sent(context, folder)).sort(), [
    'node_modules/events/index.js',
    'node_modules/events/package.json',
    'node_modules/old/package.json',
    'node_modules/old/web.js',
    'src/index.ts',
  ])
})

test('a module that does not compile is sent without packages: the host says what is wrong', async (context) => {
  const folder = moduleFolder(context, {
    'src/index.ts': `${index}}`,
    ...packages('node_modules/outer', 'node_modules/inner'),
  })
  assert.deepEqual(Object.keys(await readModuleFiles(folder)), ['src/index.ts'])
})

test('a name that is no folder is told, for publishing as for a scan', async (context) => {
  const folder = moduleFolder(context, { 'src/index.ts': index })
  for (const name of [join(folder, 'none'), join(folder, 'src/index.ts')])
    await assert.rejects(readModuleFiles(name), { message: `${name} is no folder` })
})

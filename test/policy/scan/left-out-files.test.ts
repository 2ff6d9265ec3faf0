import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { bundleModule } from '../../../host/bundling/bundle.ts'
import { bundleFiles } from '../../../policy/scan/bundle.ts'
import { catalog, operations } from '../support/catalog.ts'
import { brief, manifest, moduleFolder, scanFiles } from '../support/module.ts'
import { scan } from '../support/scan.ts'

const module = (code: string) =>
  `import { defineModule, json } from '@partner/sdk'\n${code}
export default defineModule({ routes: { 'GET /': () => json(1) } })\n`
const installed = (name: string, description: object, files: Record<string, string>) => ({
  [`node_modules/${name}/package.json`]: JSON.stringify({ name, version: '1.0.0', main: 'main.js', ...description }),
  ...Object.fromEntries(Object.entries(files).map(([file, text]) => [`node_modules/${name}/${file}`, text])),
})
const parts = { type: 'module', sideEffects: false }

/** A package of which the bundle takes only what is used. */
const inParts = installed('lib', parts, {
  'main.js': "export { plain } from './plain.js'\nexport { get } from './get.js'\n",
  'plain.js': 'export const plain = 1\n',
  'get.js': "export const get = () => fetch('https://x.example')\n",
})

test('what of a package the bundle leaves out is no finding, and is one once it is used, by a scan of changes alone too', async (context) => {
  for (const from of ['lib', '../node_modules/lib/main.js']) {
    for (const [used, found] of [
      ['plain', []],
      ['get', ['network node_modules/lib/get.js:1']],
    ] as const) {
      const files = { 'src/index.ts': module(`import { ${used} } from '${from}'\nconsole.log(${used})`), ...inParts }
      const folder = await moduleFolder(context, { 'manifest.json': manifest(), ...files })
      assert.deepEqual(brief(await scan(folder, { catalog, operations })), found)
      execFileSync('git', ['-C', folder, 'init', '--quiet'])
      const changed = execFileSync('git', ['-C', folder, 'hash-object', '-t', 'tree', '/dev/null']).toString().trim()
      assert.deepEqual(brief(await scan(folder, { catalog, operations, changed, cacheFolder: folder })), found)
    }
  }
})

test('a part of Node is refused in a file that the bundle leaves out too, as the bundle refuses it', async (context) => {
  const files = {
    'src/index.ts': module("import { plain } from 'lib'\nconsole.log(plain)"),
    ...inParts,
    'node_modules/lib/get.js': "import { get } from 'node:http'\nexport { get }\n",
  }
  assert.deepEqual(brief(await scanFiles(context, files)), ['node-builtin node_modules/lib/get.js:1'])
  const folder = await moduleFolder(context, { 'manifest.json': manifest(), ...files })
  await assert.rejects(bundleModule(folder), { code: 'import_refused' })
})

test('a file that esbuild alone would leave out, and Node would run, is judged with all that it loads', async (context) => {
  const scripts = installed(
    'lib',
    { sideEffects: false },
    {
      'main.js': "globalThis.kept = () => fetch('https://x.example')\nimport('./later.mjs')\n",
      'later.mjs': "export const later = () => fetch('https://y.example')\n",
    },
  )
  const files = { 'src/index.ts': module("import { y } from 'lib'\nconsole.log(y)"), ...scripts }
  const folder = await moduleFolder(context, { 'manifest.json': manifest(), ...files })
  assert.deepEqual(brief(await scan(folder, { catalog, operations })), [
    'network node_modules/lib/later.mjs:1',
    'network node_modules/lib/main.js:1',
  ])
  assert.match((await bundleModule(folder)).code, /x\.example[\s\S]*y\.example|y\.example[\s\S]*x\.example/)
})

test("the module's own files are judged whether the bundle takes them or not", async (context) => {
  const files = {
    'src/index.ts': module("import { a } from './a.ts'"),
    'src/a.ts': 'export const a = () => fetch(1)\n',
  }
  assert.deepEqual(brief(await scanFiles(context, files)), ['network src/a.ts:1'])
})

test('whatever code the published bundle holds, the scan judges its file', async (context) => {
  const folder = await moduleFolder(context, {
    'package.json': '{"sideEffects": false}',
    'src/index.ts': module(
      [
        "import { plain } from 'lib'",
        "import { one } from 'wraps'",
        "import * as all from 'named'",
        "import { later } from 'loads'",
        "import common from 'common'",
        "import 'some/kept.js'",
        "import { dropped } from 'some'",
        "import { hidden } from './own.ts'",
        "export { again } from 'again'",
        "console.log(plain, one, all[Date.now()], later(), common, import('lazy'))",
      ].join('\n'),
    ),
    'src/own.ts': "import { value } from 'valued'\nexport const hidden = value\n",
    ...inParts,
    ...installed('wraps', parts, {
      'main.js': "export * from '@partner/sdk'\nexport * from './one.js'\nexport * from './two.js'\n",
      'one.js': 'export const one = /* @__PURE__ */ Object.freeze([1])\n',
      'two.js': 'export const two = /* @__PURE__ */ Object.freeze([2])\n',
    }),
    ...installed('named', parts, {
      'main.js': "export * as inner from './inner.js'\nexport { x as 'a b' } from './inner.js'\n",
      'inner.js': 'export const x = 1\n',
    }),
    ...installed('loads', parts, {
      'main.js': "export const later = () => import('./later.js')\nexport const never = () => import('./never.js')\n",
      'later.js': 'export default 1\n',
      'never.js': 'export default 2\n',
    }),
    ...installed(
      'common',
      {},
      {
        'main.js':
          "exports.get = () => require('./lazy.js')\nif (process.env.NODE_ENV !== 'production') require('./slow.js')\n",
        'lazy.js': 'exports.lazy = 1\n',
        'slow.js': 'exports.slow = 1\n',
      },
    ),
    ...installed(
      'some',
      { type: 'module', sideEffects: ['./kept.js'] },
      {
        'main.js': 'export const dropped = 1\nglobalThis.dropped = 1\n',
        'kept.js': 'globalThis.kept = 1\n',
      },
    ),
    ...installed('again', parts, { 'main.js': 'export const again = 1\n' }),
    ...installed('valued', {}, { 'main.js': 'globalThis.valued = 1\nexports.value = 1\n' }),
    ...installed('lazy', parts, { 'main.js': "export { x } from './x.js'\n", 'x.js': 'export const x = 1\n' }),
  })
  const { sourceMap, files } = await bundleModule(folder)
  const sources = (JSON.parse(sourceMap) as { sources: string[] }).sources
  const published = files.filter((file) => sources.includes(file))
  const { holds, files: read } = await bundleFiles(folder, 'src/index.ts')
  assert.deepEqual(
    published.filter((file) => !holds(file)),
    [],
  )
  assert.ok(published.length > 11, published.join())
  const leftOut = ['lib/get.js', 'lib/main.js', 'loads/never.js', 'some/main.js', 'valued/main.js']
  assert.deepEqual(
    read.filter((file) => !holds(file)),
    [...leftOut.map((file) => `node_modules/${file}`), 'src/own.ts'],
  )
})

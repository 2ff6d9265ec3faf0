import assert from 'node:assert/strict'
import { SourceMap } from 'node:module'
import { after, test } from 'node:test'
import { createContext, runInContext } from 'node:vm'
import { bundleModule } from '../../host/bundling/bundle.ts'
import { jsonOf } from '../isolates/json-of.ts'
import { requestOf, startSandbox } from '../isolates/support.ts'
import { moduleFolder, moduleWith } from './module-folder.ts'

const sandbox = await startSandbox()
after(() => sandbox.close())

/** A package of CommonJS that only runs outside strict mode, and asks for an ES module that asks for it. */
const sloppyPackage = {
  'node_modules/old/package.json': '{"name": "old", "main": "main.js"}',
  'node_modules/old/main.js': `exports.leak = function () { oldLeak = 010; return [typeof this, oldLeak] }
exports.inner = function () { return require('dual').kinds() }
`,
  'node_modules/dual/package.json': '{"name": "dual", "main": "main.js", "module": "main.mjs"}',
  'node_modules/dual/main.js': '',
  'node_modules/dual/main.mjs': `import old from 'old'
import { kind } from './kind.mjs'
const made = (function () { return typeof this })()
export function kinds() { return [made, kind(), typeof old.leak] }
`,
  'node_modules/dual/kind.mjs': 'export function kind() { return typeof (function () { return this })() }\n',
}

const forgotten = {
  'src/helper.js': `export function remember(name) { reader = name }
export function recall() { return typeof reader === 'undefined' ? 'nobody' : reader }
`,
}
const routes = "'GET /a': ({ query }) => { remember(query.name); return [recall()] }, 'GET /b': () => [recall()]"
const imports = "import { remember, recall } from './helper.js'"

test("a forgotten declaration fails, and keeps no visitor's data for the next", async (context) => {
  const withPackage = `${imports}\nimport old from 'old'\nif (old.leak().length !== 2) throw new Error('no package')`
  for (const files of [
    { ...forgotten, 'src/index.ts': moduleWith(routes, imports) },
    { ...forgotten, ...sloppyPackage, 'src/index.ts': moduleWith(routes, withPackage) },
  ]) {
    const bundle = await bundleModule(moduleFolder(context, files))
    const get = (path: string, query = {}) =>
      sandbox.client.call({
        ...requestOf(bundle.hash, bundle.code, { input: JSON.stringify({ method: 'GET', path, query }) }),
        loadBundle: async () => bundle,
      })
    const first = await get('/a', { name: 'guardian of Sara' })
    assert.ok(!first.ok && /reader is not defined/.test(first.error.message), JSON.stringify(first))
    const second = await get('/b')
    assert.match(second.ok ? jsonOf(second) : '', /nobody/)
  }
})

test('ES modules are strict beside CommonJS packages, which stay as they are; lines lead to their sources', async (context) => {
  const folder = moduleFolder(context, {
    ...sloppyPackage,
    'node_modules/legacy/package.json': '{"name": "legacy", "main": "main.js"}',
    'node_modules/legacy/main.js': 'with ({ a: 1 }) legacyGlobal = a\n',
    'src/later.js':
      'const made = (function () { return typeof this })()\nexport function later() { return [made, typeof (function () { return this })()] }\n',
    'src/index.ts': `import { defineModule, json } from '@partner/sdk'
import { leak, inner } from 'old'
import 'legacy'
const own = function () { return typeof this }
const last = import('./later.js').then(({ later }) => later())
globalThis.answered = [own.call(undefined), leak.call(undefined), inner()]
globalThis.later = last
globalThis.fail = () => { throw new Error('here') }
export default defineModule({ routes: { 'GET /': () => json(null) } })
`,
  })
  const { code, sourceMap } = await bundleModule(folder)
  const realm = createContext({})
  runInContext(code, realm)
  assert.equal(realm.legacyGlobal, 1)
  const nothing = 'undefined'
  const kinds = [nothing, nothing, 'function']
  assert.equal(JSON.stringify(realm.answered), JSON.stringify([nothing, ['object', 8], kinds]))
  assert.equal(JSON.stringify(await realm.later), JSON.stringify([nothing, nothing]))

  const map = new SourceMap(JSON.parse(sourceMap))
  const places = code.split('\n').flatMap((text, line) => {
    const column = text.indexOf('new Error("here")')
    if (column === -1) return []
    const { originalSource, originalLine } = map.findEntry(line, column) as never
    return [[originalSource, originalLine]]
  })
  assert.deepEqual(places, [['src/index.ts', 7]])
})

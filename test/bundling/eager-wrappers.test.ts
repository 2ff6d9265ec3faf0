import assert from 'node:assert/strict'
import { SourceMap } from 'node:module'
import { test } from 'node:test'
import { createContext, runInContext } from 'node:vm'
import { bundleModule } from '../../host/bundling/bundle.ts'
import { compileWrappersAtOnce } from '../../host/bundling/eager-wrappers.ts'
import { moduleFolder } from './module-folder.ts'

/** What esbuild writes, and the same text as a value that nobody may change. */
const imitation = `(() => {
  var require_x = __commonJS({
    "x.js"(exports, module) {
      var run = 1;
    }
  });
})();
`

test('a CommonJS file is one function in parentheses, which the engine compiles with the script', async (context) => {
  const folder = moduleFolder(context, {
    'src/index.ts': `import { defineModule, json } from '@partner/sdk'
import { inner, text } from 'plain'
globalThis.answered = [text, typeof inner()]
export default defineModule({ routes: { 'GET /': () => json(text) } })
`,
    'node_modules/plain/package.json': JSON.stringify({ name: 'plain', version: '1.0.0', main: 'main.js' }),
    'node_modules/plain/main.js': `exports.text = \`${imitation}\`
exports.inner = function inner() { return this }
exports.where = () => { throw new Error('here') }
`,
  })
  const { code, sourceMap } = await bundleModule(folder)
  assert.match(code, /^ +"node_modules\/plain\/main\.js": \(function\(exports\d*(, \w+)?\) \{$/m)
  const realm = createContext({})
  runInContext(code, realm)
  assert.deepEqual([...realm.answered], [imitation, 'object'])

  const lines = code.split('\n')
  const line = lines.findIndex((text) => text.includes('new Error("here")'))
  const { originalSource, originalLine } = new SourceMap(JSON.parse(sourceMap)).findEntry(line, 20) as never
  assert.deepEqual([originalSource, originalLine], ['node_modules/plain/main.js', imitation.split('\n').length + 1])
})

test('of a namespace that is spread the getters are compiled with the script, of another they are not', async (context) => {
  const folder = moduleFolder(context, {
    'src/index.ts': `import { defineModule, json } from '@partner/sdk'
import * as whole from './whole.ts'
import * as named from './named.ts'
const { one, fail } = { ...whole }
globalThis.answered = [one(), one.name, Object.keys(named)]
fail()
export default defineModule({ routes: { 'GET /': () => json(null) } })
`,
    'src/whole.ts': 'export const one = () => 1\nexport const fail = () => { throw new Error("here") }\n',
    'src/named.ts': 'export const two = () => 2\n',
  })
  const { code, sourceMap } = await bundleModule(folder)
  assert.match(code, /^ +one: \(\(\) => one\)$/m)
  assert.match(code, /^ +two: \(\) => two$/m)
  assert.match(code, /^ +var __export = \(\(target, all\) => \{$/m)

  const realm = createContext({})
  assert.throws(() => runInContext(code, realm), { message: 'here' })
  assert.equal(JSON.stringify(realm.answered), '[1,"one",["two"]]')

  const lines = code.split('\n')
  const line = lines.findIndex((text) => text.includes('new Error("here")'))
  const { originalSource, originalLine } = new SourceMap(JSON.parse(sourceMap)).findEntry(line, 20) as never
  assert.deepEqual([originalSource, originalLine], ['src/whole.ts', 1])
})

test('what is no wrapper of the bundler stays as it is', async () => {
  for (const code of [
    `(() => { var text = \`${imitation.replaceAll('`', '')}\`; })();`,
    `(() => { function f() { return __commonJS({ "x.js"() { } }); } })();`,
    'not even( a script __commonJS({',
  ])
    assert.equal(await compileWrappersAtOnce(code), code)
})

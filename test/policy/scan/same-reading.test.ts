import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bundleModule } from '../../../host/bundling/bundle.ts'
import { createLinter } from '../../../policy/scan/lint-file.ts'
import { brief, manifest, moduleFolder, scanFiles } from '../support/module.ts'

const hidden = "globalThis.kept = eval('hidden')"
const values = 'var a = 1, b = 2, c = 3\n'
const module = (from: string) =>
  `import { defineModule, json } from '@partner/sdk'\nimport '${from}'
export default defineModule({ routes: { 'GET /': () => json(1) } })\n`
const ownFile = (file: string, text: string) => ({ 'src/index.ts': module(`./${file}`), [`src/${file}`]: text })
const packageFile = (file: string, text: string) => ({
  'src/index.ts': module('lib'),
  'node_modules/lib/package.json': JSON.stringify({ name: 'lib', version: '1.0.0', main: file }),
  [`node_modules/lib/${file}`]: text,
})

/** What JavaScript runs and TypeScript reads as a text, a template or a comment. */
const forms: Record<string, string> = {
  'a text': `a<b>/"/; ${hidden}; a<b>/"/ -1`,
  'a template over lines': `a<b>/\`/\n${hidden}\na<b>/\`/ -1`,
  'a comment': `a<b>/[/*]/; ${hidden}; a<b>/[*/]/ -1`,
  'a text behind two arguments': `c(a<b,c>/"/.source); ${hidden}; c(a<b,c>/"/.source)`,
  'a text behind a nested argument': `a<b<c>>/"/; ${hidden}; a<b<c>>/"/ -1`,
}

for (const [form, code] of Object.entries(forms)) {
  for (const file of ['run.js', 'run.mjs', 'run.cjs', 'run.jsx', 'run']) {
    test(`code that stands in ${form} of TypeScript's is read in ${file} as it runs`, async (context) => {
      for (const files of [ownFile(file, values + code), packageFile(file, values + code)]) {
        const folder = await moduleFolder(context, { 'manifest.json': manifest(), ...files })
        assert.match((await bundleModule(folder)).code, /eval\(.hidden.\)/, 'it is in the bundle')
        const found = brief(await scanFiles(context, files)).join()
        assert.match(found, new RegExp(`dynamic-code (src|node_modules/lib)/${file}:`), found)
      }
    })
  }
}

test('a comment in the manner of HTML is refused in whatever file, by the scan and by the bundle', async (context) => {
  for (const [open, close] of [
    ['a <!-- /*', 'a <!-- */ b'],
    ['a<!--`', 'a<!--` + b'],
  ]) {
    const code = `${values}${open}\n${hidden}\n${close}\n`
    for (const files of [
      ownFile('run.js', code),
      ownFile('run.cts', code),
      packageFile('run.js', code),
      packageFile('run.cjs', code),
    ]) {
      const folder = await moduleFolder(context, { 'manifest.json': manifest(), ...files })
      await assert.rejects(bundleModule(folder), /legacy HTML single-line comment/)
      const found = brief(await scanFiles(context, files))
      const rule = 'node_modules/lib/package.json' in files ? 'bundle-failed' : 'file-not-parsable'
      assert.ok(
        found.some((line) => line.startsWith(`${rule} `) && /run\.\w+:2$/.test(line)),
        found.join(),
      )
    }
  }
})

const lint = createLinter()
const rulesIn = (file: string, text: string, kind: 'own' | 'mobile' = 'own') =>
  lint(file, text, kind)
    .findings.filter(({ rule }) => rule !== 'undeclared-read')
    .map(({ rule, line }) => `${rule}:${line}`)

test('an HTML comment is none at the end of a line, in a text, or with a space before its mark', () => {
  assert.deepEqual(rulesIn('src/a.js', '\n--> eval(1)'), ['file-not-parsable:2'])
  assert.deepEqual(rulesIn('src/a.js', 'f() /*\n*/ --> eval(1)'), ['file-not-parsable:2'])
  assert.deepEqual(rulesIn('mobile/a.html', 'a <!-- /*\neval(1)\na <!-- */ b', 'mobile'), ['file-not-parsable:1'])
  assert.deepEqual(rulesIn('src/a.js', "let a, b\nf('<!--', a < !--b)\nwhile (a --> 0) f(`<!-- a`)\nf(/<!--/)"), [])
  assert.deepEqual(rulesIn('src/a.jsx', 'let a, b; f(/* <!-- */ <b title="<!--">{a < !--b}</b>)'), [])
})

test('types in JavaScript are refused, also where a script means something else by them', () => {
  assert.deepEqual(rulesIn('src/a.js', 'let a: string'), ['file-not-parsable:1'])
  assert.deepEqual(rulesIn('src/a.js', 'switch (1) {\ncase x ? a ? (b) : c => b(c) : e : label: f()\n}'), [
    'file-not-parsable:2',
  ])
  assert.deepEqual(rulesIn('src/a.js', 'global\n{ f() }'), ['file-not-parsable:1'])
  const honest =
    'class A extends B { static #p = 1; get x() { return #p in this ? a?.b : f`x` } }\nfor (const a of b) f(a)'
  for (const file of ['a.js', 'a.mjs', 'a.cjs', 'a.jsx', 'a']) assert.deepEqual(rulesIn(`src/${file}`, honest), [])
})

test('a block behind `global` is refused in TypeScript too: it runs where TypeScript sees declarations', () => {
  for (const text of ['global\n{ var e = eval }\ne(1)', 'if (a) {\nglobal // here\n{ var e = eval } }\ne(1)'])
    assert.deepEqual(rulesIn('src/a.ts', text), [`file-not-parsable:${text.startsWith('if') ? 2 : 1}`])
  for (const text of ['declare global { var kept: string }', "declare module 'a' { global { var kept: string } }"])
    assert.deepEqual(rulesIn('src/a.ts', text), [])
  assert.deepEqual(rulesIn('src/a.ts', 'let a = global\n;{ let b = 1 }'), [])
})

test('no name makes a file one of declarations, nor TypeScript another language than its ending says', () => {
  for (const name of ['a.d.ts', 'a.d.js', 'a.d.x.ts']) assert.deepEqual(rulesIn(name, 'eval(1)'), ['dynamic-code:1'])
  assert.deepEqual(rulesIn('a.ts', 'let a = <number>f<string>(b)'), [])
  assert.deepEqual(rulesIn('a.mts', 'let a = async <T,>(b: T) => b'), [])
  assert.deepEqual(rulesIn('a.tsx', 'let a = <b>{f<string>(c)}</b>'), [])
})

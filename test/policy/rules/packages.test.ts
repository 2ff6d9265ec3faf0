import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FileKind } from '../../../policy/rules/support/lint-rule.ts'
import { createLinter } from '../../../policy/scan/lint-file.ts'

const lint = createLinter()
const rulesIn = (text: string, kind: FileKind) =>
  [...new Set(lint('npm/a/a.js', text, kind).findings.map((finding) => finding.rule))].filter(
    (rule) => rule !== 'undeclared-read',
  )

const libraries: readonly string[] = [
  "var root = typeof globalThis !== 'undefined' ? globalThis : typeof self !== 'undefined' ? self : this; var now = root.Date.now",
  "if (process.env.NODE_ENV !== 'production') console.warn('x')",
  "const isNode = typeof process !== 'undefined' && process.versions && process.versions.node",
  'A.prototype.constructor = A; var copy = new this.constructor(x)',
  'var text = Function.prototype.toString.call(x)',
  "if (typeof fetch === 'function') request = fetch",
  "var root = freeGlobal || freeSelf || Function('return this')()",
  "var root = new Function('return this;')()",
  'var text = Function.toString.call(x)',
  'check(type === Function, [Function, Date])',
  "const allowsEval = () => { try { const F = Function; new F(''); return true } catch { return false } }",
  'var known = { eval: eval, shared: typeof SharedArrayBuffer === "undefined" ? undefined : SharedArrayBuffer }',
  'function types() { try { return free && free.process && globalThis.process.binding("util") } catch (error) {} }',
  "function load(name) { try { var later = require; later('./locale/' + name) } catch (error) {} }",
  'var generator = function* () {}.constructor',
  'export const at = globalThis.process ? 1 : 2',
  'let at = 0; if (globalThis.process) { at = 1 } export { at }',
  'export const absent = !globalThis.process',
  'export const node = void 0 !== globalThis.process',
  'export const debug = globalThis.process && globalThis.process.env && globalThis.process.env.DEBUG',
  'export const version = globalThis.process === undefined ? 0 : globalThis.process.version',
  'while (globalThis.process == null) wait()',
  "const noop = () => {}; export const mark = 'noop' !== noop.name || globalThis.process ? noop : set",
  'export const request = globalThis.fetch ? native : other',
  'export const shared = globalThis.SharedArrayBuffer && new SharedArrayBuffer(8)',
]
for (const text of libraries)
  test(`an honest npm file is left alone: ${text}`, () => assert.deepEqual(rulesIn(text, 'dependency'), []))

const partlyUseless: readonly string[] = [
  'export function template(source) { return Function(source) }',
  'export const compile = (text) => { const F = Function; return new F("x", text) }',
  'export const compile = (text) => Function.apply(null, [text])',
  'export const compile = (text) => { try { return new Function(text) } catch (error) { log(error); throw error } }',
  'export const compile = (text) => (async () => {}).constructor(text)',
  'export const compile = (text) => Reflect.construct(Function, [text])',
]
for (const text of partlyUseless) {
  test(`what fails in an isolate only when it is called is told, not refused: ${text}`, () => {
    assert.deepEqual(rulesIn(text, 'dependency'), ['package-code-from-text'])
    assert.deepEqual(rulesIn(text, 'own'), ['dynamic-code'])
  })
}

test('an npm file that makes code from text as it loads is refused, and one that calls eval', () => {
  for (const text of [
    'export const f = Function(text)',
    'export const f = (() => {}).constructor(text)',
    'export const f = (text) => eval(text)',
    'export function f(text) { const run = eval; return run(text) }',
    'run(eval)',
    'export const load = (name) => require(name)',
    'export const memory = () => new SharedArrayBuffer(8)',
  ])
    assert.deepEqual(rulesIn(text, 'dependency'), ['dynamic-code'], text)
})

const hostileLibraries = {
  'dynamic-code': "new Function('return 1')()",
  environment: 'send(process.env.HOME)',
  network: "fetch('https://x.example')",
  'node-builtin': "require('child_process')",
}
for (const [rule, text] of Object.entries(hostileLibraries)) {
  test(`${rule} refuses the same in an npm file`, () => assert.deepEqual(rulesIn(text, 'dependency'), [rule]))
}

/** Each asks whether a global is there, and takes it all the same. */
const asking: Readonly<Record<string, readonly string[]>> = {
  network: [
    "if (globalThis.fetch) fetch('https://x.example')",
    "globalThis.fetch && globalThis.fetch('https://x.example')",
    "if (!globalThis.WebSocket) throw 1; new globalThis.WebSocket('wss://x.example')",
    '(globalThis.fetch || request)(url)',
    'export const get = void 0 === globalThis.fetch ? other : globalThis.fetch',
    'const get = globalThis.fetch; if (get) get(url)',
  ],
  environment: [
    'if (process.env.KEY) send(1)',
    "process.env.KEY === undefined || send('there')",
    'send(!process.env.KEY)',
    'send(process == other)',
    'send(other && process)',
  ],
  'dynamic-code': [
    'if (eval) eval(text)',
    'eval && (0, eval)(text)',
    'Function ? Function(text) : 0',
    'const run = globalThis.eval; if (run) run(text)',
  ],
}
for (const [rule, texts] of Object.entries(asking)) {
  for (const text of texts) {
    test(`${rule}: a question in an npm file lets nothing else of it pass: ${text}`, () =>
      assert.deepEqual(rulesIn(text, 'dependency'), [rule]))
  }
}

test("in the module's own source a question is one use, and lets no other pass", () => {
  for (const question of ['globalThis.process ? 1 : 2', '!globalThis.process', 'null != process', 'process && other'])
    assert.deepEqual(rulesIn(`export const a = ${question}`, 'own'), [], question)
  for (const text of [
    'export const key = globalThis.process && globalThis.process.env.KEY',
    'const p = globalThis.process; if (p) send(p.env)',
    'if (process.env.KEY) send(1)',
    'send(undefined === process.env.KEY)',
    'send(process.env.KEY && 1)',
  ])
    assert.deepEqual(rulesIn(text, 'own'), ['environment'], text)
  assert.deepEqual(rulesIn('if (globalThis && other) send(1)', 'own'), [])
  assert.deepEqual(rulesIn('export const a = globalThis && other', 'own'), [])
  assert.deepEqual(rulesIn('export const a = other && globalThis', 'own'), ['dynamic-code'])
})

test('what is refused in an npm file is mended by another library: its user cannot rewrite it', () => {
  for (const text of Object.values(hostileLibraries)) {
    const messages = lint('node_modules/a/a.js', text, 'dependency').findings.map(({ message }) => message)
    assert.match(messages.join(), /(Choose|Use) a library/, text)
  }
})

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these texts are about templates, or are modules' source
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FileKind } from '../../../policy/rules/support/lint-rule.ts'
import { createLinter } from '../../../policy/scan/lint-file.ts'

const lint = createLinter()
const rulesIn = (text: string, kind: FileKind = 'own', file = kind === 'mobile' ? 'mobile/a.ts' : 'src/a.ts') => [
  ...new Set(lint(file, text, kind).findings.map((finding) => finding.rule)),
]

const refused: Readonly<Record<string, readonly string[]>> = {
  'dynamic-code': [
    'eval(x)',
    '(0, eval)(x)',
    '\\u0065val(x)',
    'eval?.(x)',
    "globalThis['ev' + 'al'](x)",
    "globalThis[['e', 'val'].join('')](x)",
    'globalThis[String.fromCharCode(101, 118, 97, 108)](x)',
    "const name = 'ev' + 'al'; globalThis[name](x)",
    'const g = globalThis; g.eval(x)',
    'const g = globalThis; const h = g; h.self.eval(x)',
    'globalThis.globalThis.eval(x)',
    'const { eval: run } = globalThis; run(x)',
    "const { ['eval']: run } = globalThis; run(x)",
    "Reflect.get(globalThis, 'eval')(x)",
    'function f(g = globalThis) { return g.eval(x) }',
    'let e; e = eval; e(x)',
    'let e; (e = eval)(x)',
    'let e; (e ||= eval)(x)',
    'let a, b; a = b = globalThis; a.eval(x)',
    'let a; const get = () => (a = globalThis); get().eval(x)',
    '[eval][0](x)',
    'run(eval)',
    'globalThis[key](x)',
    'same(globalThis).eval(x)',
    'const [g] = [globalThis]; g.eval(x)',
    'const o = { g: globalThis }; o.g.eval(x)',
    'o.g = globalThis; o.g.eval(x)',
    'const { ...all } = globalThis; all.eval(x)',
    'const all = { ...globalThis }; all.eval(x)',
    'function all() { return globalThis } all().eval(x)',
    "Object.getOwnPropertyDescriptor(globalThis, 'eval').value(x)",
    "const { get } = Reflect; get(globalThis, 'eval')(x)",
    'import run = globalThis.eval; run(x)',
    'export const run = eval',
    'export let run; run = eval',
    'export const g = globalThis',
    'const g = window; export { g }',
    'export default self',
    'new Function(x)',
    'Function(x)()',
    'const F = Function; new F(x)',
    "Reflect.construct(Function, ['x'])",
    'Function.prototype.constructor(x)',
    '(() => {}).constructor(x)',
    "(() => {})['constructor'](x)",
    "(() => {})['const' + 'ructor'](x)",
    '[].filter.constructor(x)',
    'const { constructor: F } = () => {}; F(x)',
    'Object.getPrototypeOf(async () => {}).constructor(x)',
    "Reflect.construct((() => {}).constructor, ['x'])",
    "setTimeout('x')",
    "const later = setTimeout; later('x')",
    'setInterval(`x`, 5)',
    "globalThis.setTimeout('a' + b)",
    'import(name)',
    'require(name)',
    "require('./a')",
    'new WebAssembly.Module(x)',
    'new SharedArrayBuffer(8)',
    '/* eslint-disable */ eval(x)',
    'eval(x) // eslint-disable-line',
    '/* eslint policy/dynamic-code: 0 */ eval(x)',
  ],
  environment: [
    'process.env.KEY',
    'const { env } = process; env.KEY',
    'export const env = process.env',
    'let p; send((p = process).env)',
    'const p = globalThis.process; p.exit()',
    "globalThis['pro' + 'cess'].env",
    'Deno.env.get(x)',
    'Bun.env',
    '__dirname',
    'import.meta.env.KEY',
  ],
  'environment-file': [
    "import 'dotenv/config'",
    "import env from './.env'",
    "import text from '../.env.local'",
    "import config from 'config'",
  ],
  network: [
    "fetch('https://x.example')",
    "const get = fetch; get('x')",
    'export const get = fetch',
    'let x; send(x = fetch)',
    "globalThis.fetch('x')",
    'new WebSocket(x)',
    'new XMLHttpRequest()',
    'new EventSource(x)',
    'navigator.sendBeacon(x)',
  ],
  'node-builtin': [
    "import fs from 'fs'",
    "import 'node:net'",
    "import { x } from 'fs/promises'",
    "export * from 'node:vm'",
    "await import('node:child_process')",
  ],
  'platform-import': [
    "import x from '@partner/sdk/guest'",
    "import x from '@partner/client'",
    "import x from '../../../partner-services/a.ts'",
    "export * from '../../../host/db.ts'",
  ],
  'module-import': [
    "import x from '../../library/src/a.ts'",
    "import x from '/etc/passwd'",
    "import x from 'https://x.example/a.js'",
    "import x from 'file:///etc/a.js'",
    "import { x } from 'data:text/javascript,export const x = 1'",
    "await import('data:text/javascript;base64,ZXZhbCgnMScp')",
  ],
  'secret-in-source': [
    "const a = 'pit_live_0123456789abcdefghijABCDEFGHIJ0123456789abcdef'",
    "const a = 'AKIAIOSFODNN7EXAMPLE'",
    'const key = `-----BEGIN PRIVATE KEY-----`',
    "const apiKey = 'q8Zt0vX2mK7sB4nLw1'",
    "const options = { password: 'Xk29fLq0aPzz7' }",
    "a.clientSecret = 'aB3dE5fG7hI9jK1l'",
    "const url = 'postgres://app:hunter2222@db.example/x'",
    "const webhookSecret = 'https://hooks.example/services/T0AB12CD/9xYz8wVu7tSr'",
    "const secret = '/Xk29fLq0aPzz7/m4'",
  ],
  'html-outside-tag': [
    'const a = `<b>${x}</b>`',
    "const a = '<li>' + x",
    "const a = x + '</li>'",
    'const a = `<a href="${x}">`',
    'const a = `<SCRIPT>${x}</SCRIPT>`',
    'const a = `<x-card>${x}</x-card>`',
    'const a = `<x ${y}>`',
    'const a = `<x/onclick=${y}>`',
    'const a = `<svg>${y}</svg>`',
  ],
  'sql-concatenation': [
    'db.rows(`select * from t where id = ${x}`)',
    "db.rows('select a from t where id = ' + x)",
    "db.execute('delete from t where ' + a + b)",
    'const q = `update t set a = ${x}`',
    'const q = `Select * From t Where id = ${x}`',
    'const q = `SELECT a FROM t ORDER BY ${x}`',
  ],
  'undeclared-write': [
    'export function remember(name) { reader = name }',
    'reader ??= x',
    'counter++',
    'for (i of list) x(i)',
    'for (i = 0; i < 3; ) x(i)',
    ';({ reader } = x)',
    ';[first, ...rest] = x',
    'function f() { name = x }',
    'Array = x',
  ],
}

const honest: Readonly<Record<string, readonly string[]>> = {
  'dynamic-code': [
    'setTimeout(() => x(), 5)',
    'const evaluate = (eval_) => eval_; evaluate(1)',
    'x.constructor.name',
    'x.constructor === Object',
    'class A { constructor() {} }',
    'typeof globalThis',
    'globalThis.structuredClone(x)',
    'const { structuredClone: copy } = globalThis; copy(x)',
    'export const copy = globalThis.structuredClone',
    "const root = typeof window === 'undefined' ? 'server' : 'browser'",
    "if ('structuredClone' in globalThis) x()",
    'x === globalThis',
    'function f(x: Function) { return x instanceof Function }',
    "import('./a.ts')",
    'const value = row[key]',
    "const text = 'eval(x)'",
  ],
  environment: [
    'const process = (x) => x; process(1)',
    'ctx.process.env',
    'const { environment } = settings',
    'import.meta.url',
  ],
  'environment-file': [
    "import { config } from './config.ts'",
    "import x from './config/index.ts'",
    "const name = '.env'",
  ],
  network: [
    'async ({ fetch }) => fetch(x)',
    'ctx.fetch(x)',
    'const fetch = ctx.fetch; fetch(x)',
    'type F = typeof fetch',
  ],
  'node-builtin': [
    "import x from 'date-fns'",
    "import x from 'punycode/'",
    "import x from 'events/events.js'",
    "import x from './fs.ts'",
    "import type { A } from './path.ts'",
  ],
  'platform-import': [
    "import { sql } from '@partner/sdk'",
    "import x from './host/a.ts'",
    "import x from './policy.ts'",
    "import x from '../src/policy/late.ts'",
  ],
  'module-import': ["import x from '../lib/a.ts'", "import x from './a.ts'", "import x from 'date-fns'"],
  'secret-in-source': [
    "const password = 'settings.password.label'",
    "const label = { password: 'Your password' }",
    "const token = 'csrf_token'",
    'const secret = input.secret',
    "const url = 'https://example.com/a:b'",
    "const links = { accessToken: 'https://api2.example.com/oauth2/token' }",
    "const links = { password: '/v1/accounts/password-reset' }",
  ],
  'html-outside-tag': [
    'html`<b>${x}</b>`',
    "const a = '<b>plain</b>'",
    'const a = `${x} < ${y}`',
    'if (a < b && c > d) x()',
    'const t: Array<string> = [`a ${x}`]',
    'const a = `GET /loans/<id> of ${x}`',
    "const a = 'an Array<number> of ' + x",
  ],
  'sql-concatenation': [
    'sql`select * from t where id = ${x}`',
    'const a = `selected ${x} from the list`',
    "const a = 'update ' + title",
    'const a = `Delete ${x}?`',
    'const a = `Select a book from ${x}`',
    "const a = 'Delete from the list: ' + x",
    'const a = `Update ${x} set by ${y}?`',
  ],
  'undeclared-write': [
    'let reader; export function remember(name) { reader = name }',
    'function f(a) { a = 1; b = 2; var b }',
    'let i; for (i of list) x(i)',
    'enum A { B } namespace C { export let d = 1; d = 2 }',
    'class A { reader; set(x) { this.reader = x } }',
    'o.reader = x',
    'const reader = other',
  ],
}

for (const [rule, texts] of Object.entries(refused)) {
  for (const text of texts)
    test(`${rule} refuses ${text}`, () => assert.ok(rulesIn(text).includes(rule), String(rulesIn(text))))
}
for (const [rule, texts] of Object.entries(honest)) {
  for (const text of texts) test(`${rule} leaves alone ${text}`, () => assert.deepEqual(rulesIn(text), []))
}

test("a module's own folder may have a name of the platform's, from wherever it is imported; what lies outside may not", () => {
  const from = (specifier: string) => rulesIn(`export * from '${specifier}'`, 'own', 'src/pages/admin/a.ts')
  for (const folder of ['policy', 'host', 'partner-services']) {
    assert.deepEqual(from(`../../${folder}/late.ts`), [])
    assert.deepEqual(from(`../../../../${folder}/late.ts`), ['module-import', 'platform-import'])
    assert.deepEqual(from(`./../../../x/../../${folder}/late.ts`), ['module-import', 'platform-import'])
  }
})

const mobileRefused = [
  "location.href = 'https://x.example'",
  "location.assign('/apps')",
  "window.location.replace('../src/x')",
  'open(target)',
  "location = 'javascript:x'",
  "history.pushState(1, '', '/x')",
  "top.location = 'https://x.example'",
  "this.location = 'https://x.example'",
  "this.location.assign('/x')",
  "window.parent.location.href = '/x'",
  "window.open('https://x.example')",
  "navigation.navigate('https://x.example')",
  "document.querySelector('a').href = 'https://x.example'",
]
for (const text of mobileRefused)
  test(`mobile-link refuses ${text}`, () => assert.deepEqual(rulesIn(text, 'mobile'), ['mobile-link']))
for (const text of [
  "location.href = './next.html'",
  "location.hash = '#a'",
  "fetch('./data.json')",
  "location.assign('next.html?id=1')",
  "this.location = './next.html'",
  "image.src = 'data:image/png;base64,AA=='",
  'link.href = next',
  'class Shop { move(to) { this.location = to } }',
]) {
  test(`mobile-link leaves alone ${text}`, () => assert.deepEqual(rulesIn(text, 'mobile'), []))
}

test('a comment names for JSX only what its file declares, and nothing that makes code', () => {
  const element = "export const a = <b toString={() => 'x'}>{text}</b>"
  const rules = (text: string) => rulesIn(`${text}\n${element}`, 'own', 'src/a.tsx')
  for (const factory of ['Function', 'globalThis.eval', '(0,eval)', '\\u0065val', 'h.constructor'])
    assert.deepEqual(rules(`/** @jsx ${factory} */\nimport { h } from './h.ts'`), ['dynamic-code'], factory)
  assert.deepEqual(rules('/* @jsxFrag eval*/'), ['dynamic-code'])
  assert.deepEqual(rules("/** @jsx h */\n/** @jsxFrag h.Fragment*/\nimport { h } from 'preact'"), [])
  assert.deepEqual(rules("import React from 'react'"), [])
  assert.deepEqual(rulesIn('/** @jsx Function */ export const a = 1'), [])
})

test('a global that is followed in a circle, or through thousands of uses, neither stops the scan nor hides another', () => {
  assert.deepEqual(rulesIn('let at = globalThis.first\nwhile (at?.next) at = at.next\nexport const last = at'), [])
  assert.deepEqual(
    rulesIn('let x = "a"; const y = () => x; x = x + y(); let z = window; z = z[0].z; const w = z; w.name'),
    [],
  )
  const many = Array.from({ length: 6000 }, (_, index) => `export const d${index} = Array.isArray(${index})`)
  assert.deepEqual(rulesIn([...many, 'eval(text)'].join('\n')), ['dynamic-code'])
  const chain = 'let a = globalThis; a = a.b; a = a.c; a = a.d; a = a.e; a = a.f; a = a.g; a = a.self; a.eval(x)'
  assert.deepEqual(rulesIn(chain), ['dynamic-code'])
})

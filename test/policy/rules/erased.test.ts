import assert from 'node:assert/strict'
import { test } from 'node:test'
import { transformSync } from 'esbuild'
import { createLinter } from '../../../policy/scan/lint-file.ts'

const lint = createLinter()
const rulesIn = (text: string) =>
  [...new Set(lint('src/a.ts', text, 'own').findings.map(({ rule }) => rule))].filter(
    (rule) => rule !== 'undeclared-read',
  )

/** Declarations that esbuild erases, and others like them that it keeps. */
const erased = [
  'declare const fetch: any',
  'declare let fetch: any',
  'declare var fetch: any',
  'declare const { fetch }: any',
  'declare const a: any, fetch: any',
  'export declare const fetch: any',
  'declare function fetch(url: string): any',
  'function fetch(url: string): any;',
  'export function fetch(url: string): any;',
  'declare class fetch {}',
  'declare abstract class fetch {}',
  'declare enum fetch { a }',
  'declare const enum fetch { a }',
  'declare namespace fetch { const a: any }',
  'declare module fetch {}',
  'export declare namespace fetch {}',
  'namespace fetch {}',
  'namespace fetch { export type T = 1; interface U {} }',
  'namespace fetch { namespace a { export namespace b { export type T = 1 } } }',
  'namespace fetch { declare const a: any; declare class B {} declare enum C { d } }',
  'namespace fetch { export function a(): any; function b(): any; declare function c(): any }',
  'namespace fetch { export declare namespace a { const b: any } }',
  'namespace fetch { import a = Array.prototype }',
  'namespace fetch { export type {} }',
  "import type fetch from './a.ts'",
  "import type * as fetch from './a.ts'",
  "import type { fetch } from './a.ts'",
  "import { type fetch } from './a.ts'",
  "import { type a as fetch } from './a.ts'",
  "import type fetch = require('./a.ts')",
  'interface fetch {}',
  'type fetch = 1',
  'interface fetch {} declare const fetch: any',
  'declare function fetch(): any; declare namespace fetch { const a: any }',
  'declare global { var fetch: any }',
  "declare module 'a' { const fetch: any }",
  'export as namespace fetch',
]
const kept = [
  'var fetch: any',
  'function fetch(url: string): any; function fetch(url: any) {}',
  'class fetch {}',
  'abstract class fetch {}',
  'enum fetch { a }',
  'const enum fetch { a }',
  'namespace fetch { 1 }',
  'namespace fetch { ; }',
  'namespace fetch { export const a = 1 }',
  'namespace fetch { export declare const a: any }',
  'namespace fetch { export declare function a(): any }',
  'namespace fetch { export declare class A {} }',
  'namespace fetch { export declare enum A { b } }',
  'namespace fetch { export import a = Array.prototype }',
  'declare function fetch(): any; namespace fetch { export const a = 1 }',
  "import fetch from './a.ts'",
  "import * as fetch from './a.ts'",
  "import { a as fetch } from './a.ts'",
  "import { type as fetch } from './a.ts'",
]
/** What esbuild leaves of a call of the name; a global keeps its name where those of the file are shortened. */
const callsGlobal = (text: string) => {
  const tsconfigRaw = { compilerOptions: { verbatimModuleSyntax: true } }
  const { code } = transformSync(text, { loader: 'ts', format: 'esm', minifyIdentifiers: true, tsconfigRaw })
  return /\bfetch\(/.test(code)
}
for (const [isErased, declarations] of [[true, erased] as const, [false, kept] as const]) {
  for (const declaration of declarations) {
    test(`${declaration} ${isErased ? 'declares nothing' : 'declares the name'}, to esbuild and to the scan`, () => {
      const text = `${declaration}\n;fetch('https://example.com')`
      assert.equal(callsGlobal(text), isErased)
      assert.deepEqual(rulesIn(text), isErased ? ['network'] : [])
    })
  }
}

const refused: Readonly<Record<string, readonly string[]>> = {
  'dynamic-code': [
    'declare const globalThis: any; globalThis.eval(x)',
    "declare var self: any; self['ev' + 'al'](x)",
    'namespace globalThis { export type T = 1 } globalThis.eval(x)',
    'function eval(text: string): any; eval(x)',
    'declare class Function { constructor(text: string) } new Function(x)',
    'let e: any; function f() { type e = 1; e = eval } e(x)',
    "/** @jsx eval */\ndeclare const eval: any\nexport const a = <b toString={() => 'x'} />",
  ],
  environment: [
    'declare enum process { env } export const a = process.env',
    "import { type process } from './a.ts'; export const a = process.env",
    'namespace N { declare const process: any; export const a = process.env }',
    'namespace N { export declare function process(): any; export const a = process.env }',
    'export const f = (a = () => { declare const process: any; return process.env }) => { const process = a }',
  ],
  network: [
    'declare const fetch: any; export default fetch',
    "import type fetch from './a.ts'; export default fetch",
    'interface fetch {} export = fetch',
  ],
  'undeclared-write': [
    'declare let reader: string; export function f(name: string) { reader = name }',
    'declare let counter: number; counter++',
  ],
}
for (const [rule, texts] of Object.entries(refused)) {
  for (const text of texts)
    test(`${rule} refuses ${text}`, () => {
      const found = lint(text.includes('@jsx') ? 'src/a.tsx' : 'src/a.ts', text, 'own').findings
      assert.ok(found.some((finding) => finding.rule === rule))
    })
}

for (const text of [
  "declare const VERSION: '1'; export const version = VERSION",
  "declare const VERSION = '1'; export const version = VERSION",
  'interface Worker {} export default Worker',
  'interface Worker {} export { Worker }',
  "import type { Worker } from './a.ts'; export { Worker }",
  'declare const fetch: any; export { fetch }',
  'declare global { interface Window { kept: string } }',
  'export namespace N { export declare const process: any; export const a = process.env }',
  'function outer() { const process = { env: 1 }; return () => { declare const process: any; return process.env } }',
]) {
  test(`nothing is found in ${text}`, () => assert.deepEqual(rulesIn(text), []))
}

/** Of what esbuild erases, globals that are only read in it. */
const onlyTypes = [
  'type F = typeof globalThis.fetch',
  'type F = ReturnType<typeof globalThis.setTimeout>',
  'type F = typeof fetch.name',
  'type P = typeof process.env',
  'x<typeof window>(1); export function x<T>(a: T) { const b: typeof fetch.name = a }',
  'const g = globalThis; type F = typeof g.process.env',
  'declare global { var kept: typeof globalThis.fetch }',
  'declare class A extends Worker {}',
  'export declare abstract class A extends EventSource { [process.env.KEY]: string }',
  "declare module 'x' { export default class extends Worker {} }",
  'declare namespace N { class A extends Worker {} }',
  'namespace N { export declare class A extends Worker {} ; export const b = 1 }',
]
for (const text of onlyTypes) {
  test(`of ${text} nothing is left that is used, to esbuild and to the scan`, () => {
    const { code } = transformSync(text, {
      loader: 'ts',
      tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
    })
    assert.doesNotMatch(code, /globalThis\.|Worker|EventSource|process|fetch|setTimeout|window/)
    assert.deepEqual(rulesIn(text), [])
  })
}
test('what stands beside such a type is used', () => {
  assert.deepEqual(rulesIn('class A<T = typeof fetch> extends Worker {}'), ['dynamic-code'])
  assert.deepEqual(rulesIn('declare\nclass A extends Worker {}'), ['dynamic-code'])
  assert.deepEqual(rulesIn('@(process.exit as typeof fetch) class A {}'), ['environment'])
})

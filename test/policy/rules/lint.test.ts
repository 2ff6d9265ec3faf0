// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these texts are about templates, or are modules' source
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FileKind } from '../../../policy/rules/support/lint-rule.ts'
import { createLinter } from '../../../policy/scan/lint-file.ts'
import { honest, refused } from './lint-texts.ts'

const lint = createLinter()
const allRulesIn = (text: string, kind: FileKind = 'own', file = kind === 'mobile' ? 'mobile/a.ts' : 'src/a.ts') => [
  ...new Set(lint(file, text, kind).findings.map((finding) => finding.rule)),
]
/** The texts of other rules use names that stand for anything. */
const rulesIn = (...of: Parameters<typeof allRulesIn>) => allRulesIn(...of).filter((rule) => rule !== 'undeclared-read')

for (const [rule, texts] of Object.entries(refused)) {
  for (const text of texts)
    test(`${rule} refuses ${text}`, () => assert.ok(allRulesIn(text).includes(rule), String(allRulesIn(text))))
}
for (const [rule, texts] of Object.entries(honest)) {
  const found = rule === 'undeclared-read' ? allRulesIn : rulesIn
  for (const text of texts) test(`${rule} leaves alone ${text}`, () => assert.deepEqual(found(text), []))
}

test("a module's own folder may have a name of the platform's, from wherever it is imported; what lies outside may not", () => {
  const from = (specifier: string) => rulesIn(`export * from '${specifier}'`, 'own', 'src/pages/admin/a.ts')
  for (const folder of ['policy', 'host', 'partner-services']) {
    assert.deepEqual(from(`../../${folder}/late.ts`), [])
    assert.deepEqual(from(`../../../../${folder}/late.ts`), ['module-import', 'platform-import'])
    assert.deepEqual(from(`./../../../x/../../${folder}/late.ts`), ['module-import', 'platform-import'])
  }
})

test('what is read only to be written anew is one finding', () => {
  assert.deepEqual(allRulesIn('counter++'), ['undeclared-write'])
})

test('a file whose name says that it is an ES module is given neither `exports` nor `module`', () => {
  for (const name of ['src/a.mjs', 'src/a.mts'])
    assert.deepEqual(rulesIn('exports = module.exports = { a: 1 }', 'own', name), ['undeclared-write'], name)
  for (const name of ['src/a.cjs', 'src/a.cts', 'src/a.js'])
    assert.deepEqual(rulesIn('exports = module.exports = { a: 1 }', 'own', name), [], name)
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

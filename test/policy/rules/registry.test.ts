// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these texts are modules' source
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { Linter } from 'eslint/universal'
import { rules } from '../../../policy/rules/index.ts'
import { policyPlugin } from '../../../policy/rules/plugin.ts'

const root = path.resolve(import.meta.dirname, '../../..')
const pages = path.join(root, 'policy/rules/docs')
const headings = ['## Why', '## Bad', '## Good', '## How to mend']

test('every rule has a page that says what, why, bad, good and how to mend, and no page is without its rule', async () => {
  const names = (await readdir(pages)).map((name) => name.replace(/\.md$/, ''))
  assert.deepEqual(names.sort(), Object.keys(rules).sort())
  for (const id of names) {
    const text = await readFile(path.join(pages, `${id}.md`), 'utf8')
    assert.ok(text.startsWith(`# ${id}\n`), id)
    for (const heading of headings) assert.ok(text.includes(`\n${heading}\n`), `${id}: ${heading}`)
  }
})

test('every rule is named by a test', async () => {
  const folder = path.join(root, 'test/policy')
  const names = (await readdir(folder, { recursive: true })).filter(
    (name) => /(\.test|lint-texts)\.ts$/.test(name) && !name.includes('registry'),
  )
  const text = (await Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8')))).join('\n')
  const untested = Object.keys(rules).filter(
    (id) => !text.includes(`'${id}'`) && !text.includes(`${id}:`) && !text.includes(`${id} `),
  )
  assert.deepEqual(untested, [])
})

test('every ESLint rule lies in a file of its name', async () => {
  const files = await readdir(path.join(root, 'policy/rules'))
  const lint = Object.entries(rules).filter(([, entry]) => entry.by === 'lint')
  for (const [id] of lint) assert.ok(files.includes(`${id}.ts`), id)
})

test('in an editor a tag is put before a template where the file imports it, and nowhere else', () => {
  const linter = new Linter({ configType: 'flat' })
  const config = [
    {
      plugins: { policy: policyPlugin() },
      rules: { 'policy/html-outside-tag': 'error', 'policy/sql-concatenation': 'error' },
    },
  ] as Linter.Config[]
  const known = "import { html, sql } from '@partner/sdk'\n"
  const fixed = (text: string) => linter.verifyAndFix(text, config).output
  assert.equal(fixed(`${known}a = \`<b>\${x}</b>\``), `${known}a = html\`<b>\${x}</b>\``)
  assert.equal(
    fixed(`${known}a = \`select * from t where a = \${x}\``),
    `${known}a = sql\`select * from t where a = \${x}\``,
  )
  assert.equal(fixed('a = `<b>${x}</b>`'), 'a = `<b>${x}</b>`')
})

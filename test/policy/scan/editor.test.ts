// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these texts are modules' source
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { scan } from '../support/scan.ts'
import { catalog, operations } from '../support/catalog.ts'
import { manifest, moduleFolder } from '../support/module.ts'

const root = path.resolve(import.meta.dirname, '../../..')
const eslint = path.join(root, 'node_modules/eslint/bin/eslint.js')

type Shown = { filePath: string; messages: { ruleId: string; line: number; column: number; message: string }[] }

function inEditor(dir: string, ...options: string[]): string[] {
  const args = [eslint, '--config', path.join(root, 'modules/eslint.config.mjs'), '--format', 'json', ...options, '.']
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: dir, encoding: 'utf8' })
  assert.notEqual(stdout, '', stderr)
  const shown = JSON.parse(stdout) as Shown[]
  return shown.flatMap(({ filePath, messages }) =>
    messages.map(({ ruleId, line, column, message }) => {
      return `${ruleId} ${path.relative(dir, filePath)}:${line}:${column} ${message}`
    }),
  )
}

const entry = "import { defineModule, html } from '@partner/sdk'\nexport default defineModule({})\n"

test('ESLint in an editor shows of each file what the scan says, and mends what is safe to mend', async (context) => {
  const bad = "import { html } from '@partner/sdk'\nexport const page = (x) => `<b>${x}</b>` // eslint-disable-line\n"
  const dir = await moduleFolder(context, {
    'manifest.json': manifest(),
    'src/index.ts': entry,
    'src/bad.ts': `${bad}eval(page)\n`,
    'src/old.js': 'process.env.A\n',
    'test/a.test.ts': 'eval(x)\n',
  })
  const { findings } = await scan(dir, { catalog, operations })
  const lines = findings
    .filter(({ file }) => file.startsWith('src/'))
    .map(({ rule, file, line, column, message }) => `policy/${rule} ${file}:${line}:${column} ${message}`)
  assert.equal(lines.length, 3)
  assert.deepEqual(inEditor(dir).sort(), lines.sort())
  assert.equal(inEditor(dir, '--fix').length, 2)
  assert.match(readFileSync(path.join(dir, 'src/bad.ts'), 'utf8'), /=> html`<b>/)
})

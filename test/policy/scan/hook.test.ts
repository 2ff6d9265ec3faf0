import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { manifest, moduleFolder, writeFiles } from '../support/module.ts'

const root = path.resolve(import.meta.dirname, '../../..')
const readme = await readFile(path.join(root, 'policy/README.md'), 'utf8')
const entry = "import { defineModule } from '@partner/sdk'\nexport default defineModule({})\n"

/** Stands for npx in front of the PATH: what `partner scan <dir> --changed <rev>` runs, without an installed package. */
const npx = `#!/bin/sh
[ "$1 $2 $4" = "partner scan --changed" ] || exit 9
shift
exec "${process.execPath}" "${root}/host/launch.mjs" "$@"
`

function codeBlock(language: string): string {
  const block = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(readme)?.[1]
  assert.ok(block, `policy/README.md has a block of ${language}`)
  return block
}

test('the git hook of the README lets clean work through, the first commit included, and stops an error', async (context) => {
  const dir = await moduleFolder(context, {
    'modules/library/manifest.json': manifest(),
    'modules/library/src/index.ts': entry,
    'bin/npx': npx,
  })
  const env = { ...process.env, PATH: `${dir}/bin:${process.env.PATH}`, XDG_CACHE_HOME: path.join(dir, 'cache') }
  const git = (...args: string[]) =>
    spawnSync('git', ['-C', dir, '-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { env })
  execFileSync('git', ['init', '--quiet', dir])
  await mkdir(path.join(dir, '.git/hooks'), { recursive: true })
  await writeFile(path.join(dir, '.git/hooks/pre-commit'), codeBlock('sh'))
  for (const script of ['.git/hooks/pre-commit', 'bin/npx']) await chmod(path.join(dir, script), 0o755)

  git('add', 'modules')
  const first = git('commit', '-m', 'first')
  assert.equal(first.status, 0, String(first.stdout) + String(first.stderr))
  await writeFiles(dir, { 'modules/library/src/bad.ts': 'eval(x)\n' })
  git('add', 'modules')
  const second = git('commit', '-m', 'second')
  assert.equal(second.status, 1)
  assert.match(String(second.stdout) + String(second.stderr), /src\/bad\.ts:1:1 error dynamic-code/)
  assert.equal(String(git('rev-list', '--count', 'HEAD').stdout).trim(), '1')
})

test('the CI snippet of the README writes SARIF and hands over the same file', () => {
  const steps = codeBlock('yaml')
  const written = / --format sarif > (\S+)/.exec(steps)?.[1]
  assert.ok(written && steps.includes(`sarif_file: ${written} `))
  assert.match(steps, /if: always\(\)/)
})

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { scan } from '../support/scan.ts'
import { catalog, operations } from '../support/catalog.ts'
import { brief, manifest, moduleFolder, writeFiles } from '../support/module.ts'

const files = {
  'manifest.json': manifest(),
  'src/index.ts':
    "import { defineModule } from '@partner/sdk'\nimport { all } from './a.ts'\nexport default defineModule({ routes: { 'GET /': async ({ services }) => all(services) } })\n",
  'src/a.ts': 'export const all = (services) => 1\n',
  'src/old.ts': 'eval(x)\n',
}

async function repository(context: TestContext) {
  const dir = await moduleFolder(context, files)
  const cacheFolder = await mkdtemp(path.join(tmpdir(), 'partner-cache-'))
  context.after(() => rm(cacheFolder, { recursive: true, force: true }))
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', dir, '-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { stdio: 'pipe' })
  git('init', '--quiet')
  git('add', '.')
  git('commit', '--quiet', '-m', 'first')
  return { dir, quick: () => scan(dir, { catalog, operations, changed: 'HEAD', cacheFolder }) }
}

test('only changed files are reported, new ones included; scopes are those of the whole module', async (context) => {
  const { dir, quick } = await repository(context)
  assert.deepEqual(brief(await quick()), [])
  await writeFiles(dir, {
    'src/a.ts': 'export const all = (services) => services.education.students.list({})\n',
    'src/new.ts': 'process.env.A\n',
  })
  const second = await quick()
  assert.deepEqual(brief(second), ['scope-undeclared src/a.ts:1', 'environment src/new.ts:1'])
  assert.deepEqual(brief(await quick()), brief(second), 'the cached verdict is the same')
})

test('an error far away that a change causes is reported', async (context) => {
  const { dir, quick } = await repository(context)
  await quick()
  await writeFiles(dir, {
    'src/a.ts': "import lib from './lib.js'\nexport const all = lib\n",
    'src/lib.js': 'export default (services) => services[1]\n',
  })
  assert.deepEqual(brief(await quick()), ['operation-unknown src/lib.js:1'])
})

test('a revision git does not know, or one that is an option, cannot run', async (context) => {
  const { dir } = await repository(context)
  await assert.rejects(scan(dir, { catalog, operations, changed: 'nonsense' }), /git cannot tell what changed/)
  await assert.rejects(scan(dir, { catalog, operations, changed: '--output=x' }), /no git revision/)
})

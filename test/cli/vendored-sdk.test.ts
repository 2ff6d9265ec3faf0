import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { bundleModule } from '../../host/bundling/bundle.ts'
import { packageAccess } from '../../host/cli/new-module/package-access.ts'
import { readSourceFiles } from '../../host/publishing/source/source-files.ts'
import { temporaryFolder } from '../host/started-host.ts'
import { authorsMachine, checkout, compiler, install, launcher } from './authors-machine.ts'

const { version } = JSON.parse(readFileSync(join(checkout, 'partner-services/sdk/package.json'), 'utf8'))
const tarball = `vendor/partner-sdk-${version}.tgz`
const folder = temporaryFolder()
const module = join(folder.path, 'my_app')
const installed = join(module, 'node_modules/@partner/sdk')
after(() => folder.remove())

const succeeds = authorsMachine(folder.path)

const partnerNew = (cwd: string) => succeeds(cwd, process.execPath, [launcher, 'new', 'my_app'])
const inNode = (script: string, path?: string) => succeeds(module, process.execPath, ['-e', script], path)
const read = (...path: string[]) => readFileSync(join(...path), 'utf8')
const list = (files: Record<string, unknown>) => Object.keys(files).sort()

before(async () => {
  mkdirSync(join(folder.path, 'again'))
  await Promise.all([
    partnerNew(folder.path).then(() => succeeds(module, 'npm', install(folder.path))),
    partnerNew(join(folder.path, 'again')),
  ])
})

test('the tarball is the same bytes each time, and no file names a path of the checkout', () => {
  assert.deepEqual(readFileSync(join(module, tarball)), readFileSync(join(folder.path, 'again/my_app', tarball)))
  const { exports } = JSON.parse(read(installed, 'package.json'))
  assert.deepEqual(list(exports), ['.', './testing'])
  const files = ['tsconfig.json', 'package.json', 'package-lock.json'].map((name) => read(module, name))
  for (const text of [
    ...files,
    ...list(exports)
      .flatMap((entry) => Object.values<string>(exports[entry]))
      .map((name) => read(installed, name)),
  ])
    assert.ok(!text.includes(checkout) && !/partner-services|\.\.\/\.\./.test(text), text)
})

test('an install that reaches no registry has the SDK, which plain Node imports', async () => {
  const { stdout } = await inNode("import('@partner/sdk').then((sdk) => console.log(Object.keys(sdk).join()))")
  const own = await import('@partner/sdk')
  assert.equal(stdout.trim(), Object.keys(own).join())
  await assert.rejects(inNode("import('@partner/sdk/guest')"), /ERR_PACKAGE_PATH_NOT_EXPORTED/)
})

test('the package type checks alone, with the doc comments of the sources, and finds a mistake', async () => {
  assert.match(read(installed, 'generated/services.d.ts'), /\* Scope: `education\.grades\.read`\.\n/)
  assert.match(read(installed, 'index.d.ts'), /from '\.\/html\.js'/)
  // What an install with a registry adds.
  for (const name of ['@types/node', 'undici-types'])
    cpSync(join(checkout, 'node_modules', name), join(module, 'node_modules', name), { recursive: true })
  writeFileSync(
    join(module, 'test/mistakes.ts'),
    `import { defineModule, sql } from '@partner/sdk'
import { startTestTenant } from '@partner/sdk/testing'
export default defineModule({
  routes: {
    // @ts-expect-error: no such operation
    'GET /': async ({ services }) => services.education.nothing(),
    // @ts-expect-error: a string is no statement
    'GET /rows': async ({ db }) => db.rows('select 1'),
    'GET /name': async ({ db }): Promise<string | undefined> => (await db.row<{ name: string }>(sql\`select 1\`))?.name,
  },
})
// @ts-expect-error: the module's folder is missing
startTestTenant({})
`,
  )
  await succeeds(module, process.execPath, [compiler, '--noEmit', '--skipLibCheck', 'false'])
})

test('a new module answers those alone whom its manifest names, whatever it is asked', async () => {
  const { account_types: types } = JSON.parse(read(module, 'manifest.json'))
  const script = `import('./src/index.ts').then(async ({ default: { routes } }) => {
    const [db, services] = [{ rows: async () => [], execute: async () => 1 }, { education: { grades: { list: async () => ({ total: 2 }) } } }]
    const employee = (role) => ({ type: 'employee', roles: [role] })
    const viewers = [null, { type: 'student', roles: [] }, { type: 'guardian', roles: ['teacher'] }, employee('librarian'), ...${JSON.stringify(types[0].roles)}.map(employee)]
    for (const viewer of viewers) {
      const answers = await Promise.all(Object.values(routes).map((handler) => handler({ viewer, db, services, body: { text: 'x' } })))
      console.log(answers.map(({ status = 'ok' }) => status).join())
    }
  })`
  const { stdout } = await inNode(script)
  assert.deepEqual(stdout.trim().split('\n'), ['403,403', '403,403', '403,403', '403,403', 'ok,ok', 'ok,ok'])
})

test('with its SDK installed a module scans clean, and only what the host needs of it is sent', async () => {
  const scanned = await succeeds(module, process.execPath, [launcher, 'scan', '.', '--json'])
  assert.deepEqual(JSON.parse(scanned.stdout).findings, [])
  assert.ok(existsSync(join(module, 'package-lock.json')))
  assert.deepEqual(list(readSourceFiles(module)), [
    'manifest.json',
    'migrations/2026_01_01_000001_create_notes.sql',
    'package.json',
    'src/index.ts',
    'tsconfig.json',
  ])
  assert.deepEqual((await bundleModule(module)).files, ['src/index.ts'])
})

test("a module's test says what it needs where there is no `partner` to start a host", async () => {
  const script = `import('@partner/sdk/testing').then((sdk) => sdk.startTestTenant({ module: '.' })).catch(console.log)`
  assert.match((await inNode(script, '')).stdout, /no `partner` on the search path: run `npm link` in a checkout/)
})

test('a folder of the repository takes the SDK from its sources', async () => {
  const files = await packageAccess('my_app', join(checkout, 'modules/my_app'), 'sdk')
  assert.deepEqual(list(files), ['tsconfig.json'])
  const { paths } = JSON.parse(String(files['tsconfig.json'])).compilerOptions
  for (const [path] of Object.values<string[]>(paths))
    assert.ok(existsSync(join(checkout, 'modules/my_app', path!)), path)
})

import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { packageAccess } from '../../host/cli/new-module/package-access.ts'
import { readModuleFiles } from '../../host/publishing/source/package-files.ts'
import { temporaryFolder } from '../host/started-host.ts'
import { authorsMachine, checkout, compiler, install, launcher } from './authors-machine.ts'

const { version } = JSON.parse(readFileSync(join(checkout, 'partner-services/client/package.json'), 'utf8'))
const tarball = `vendor/partner-client-${version}.tgz`
const folder = temporaryFolder()
const app = join(folder.path, 'my_app')
const installed = join(app, 'node_modules/@partner/client')
const succeeds = authorsMachine(folder.path)
after(() => folder.remove())

const partnerNew = (cwd: string) => succeeds(cwd, process.execPath, [launcher, 'new', 'my_app', '--type', 'external'])
const read = (...path: string[]) => readFileSync(join(...path), 'utf8')

before(async () => {
  mkdirSync(join(folder.path, 'again'))
  await Promise.all([
    partnerNew(folder.path).then(() => succeeds(app, 'npm', install(folder.path))),
    partnerNew(join(folder.path, 'again')),
  ])
})

test('the tarball of the client is the same bytes each time, and no file names a path of the checkout', () => {
  assert.deepEqual(readFileSync(join(app, tarball)), readFileSync(join(folder.path, 'again/my_app', tarball)))
  const { exports } = JSON.parse(read(installed, 'package.json'))
  assert.deepEqual(Object.keys(exports), ['.', './webhooks'])
  const packed = Object.values<Record<string, string>>(exports).flatMap((files) => Object.values(files))
  for (const text of [
    ...['tsconfig.json', 'package.json', 'package-lock.json'].map((name) => read(app, name)),
    ...packed.map((name) => read(installed, name)),
  ])
    assert.ok(!text.includes(checkout) && !/\.\.\/\.\./.test(text), text)
})

test('after an install that reaches no registry the tests of the app run on plain Node', async () => {
  const { stdout } = await succeeds(app, process.execPath, ['--test'])
  assert.match(stdout, /^ℹ pass 1$/m)
})

test('the app type checks alone, with the doc comments of the operations, and finds a mistake', async () => {
  assert.match(read(installed, 'generated/client.d.ts'), /Scope: `education\.students\.read`\. \*\/\n\s+list:/)
  // What an install with a registry adds.
  for (const name of ['@types/node', 'undici-types'])
    cpSync(join(checkout, 'node_modules', name), join(app, 'node_modules', name), { recursive: true })
  const mistakes = join(app, 'server/mistakes.ts')
  writeFileSync(
    mistakes,
    `import { createPartnerClient, type PartnerClient } from '@partner/client'
import { type DeliveryMemory, verifyWebhook } from '@partner/client/webhooks'
const client: PartnerClient = createPartnerClient({ baseUrl: '', token: '' })
// @ts-expect-error: no such operation
client.education.nothing()
// @ts-expect-error: a student is got by an id
client.education.students.get({})
export const name: Promise<string> = client.education.students.get({ id: '' }).then(({ student }) => student.full_name)
// @ts-expect-error: a secret is needed
verifyWebhook({ headers: {}, rawBody: '' })
// @ts-expect-error: it has three states
export const memory: DeliveryMemory = { begin: () => true, done() {}, forget() {} }
`,
  )
  await succeeds(app, process.execPath, [compiler, '--noEmit', '--skipLibCheck', 'false'])
  rmSync(mistakes)
})

test('with its client installed the app scans clean, and nothing of its server is sent', async () => {
  writeFileSync(join(app, 'server/.env'), 'TOKEN=mine')
  const scanned = await succeeds(app, process.execPath, [launcher, 'scan', '.', '--json'])
  assert.deepEqual(JSON.parse(scanned.stdout).findings, [])
  assert.deepEqual(Object.keys(await readModuleFiles(app)).sort(), [
    'README.md',
    'manifest.json',
    'package.json',
    'tsconfig.json',
  ])
})

test('a folder of the repository takes the client from its sources', async () => {
  const files = await packageAccess('my_app', join(checkout, 'modules/my_app'), 'client')
  assert.deepEqual(Object.keys(files), ['tsconfig.json'])
  const { paths } = JSON.parse(String(files['tsconfig.json'])).compilerOptions
  assert.deepEqual(Object.keys(paths), ['@partner/client', '@partner/client/webhooks'])
  for (const [path] of Object.values<string[]>(paths))
    assert.ok(existsSync(join(checkout, 'modules/my_app', path!)), path)
})

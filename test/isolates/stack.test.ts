import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { build } from 'esbuild'
import { createStackMapper, mapLogged } from '../../host/isolates/client/stack.ts'
import { bundleOf, requestOf, startSandbox } from './support.ts'

const directory = mkdtempSync(join(tmpdir(), 'partner-module-'))
const sandbox = await startSandbox()
after(async () => {
  await sandbox.close()
  rmSync(directory, { recursive: true })
})

async function bundle(files: Record<string, string>) {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text)
  const built = await build({
    absWorkingDir: directory,
    entryPoints: ['module.ts'],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    sourcemap: 'external',
    outfile: 'bundle.js',
  })
  const [map, code] = built.outputFiles
  return { ...bundleOf(code!.text), sourceMap: map!.text }
}

const loans = `type Loan = { days: number }

export function overdue(loan: Loan): number {
  if (loan.days > 30) {
    throw new RangeError('a loan of ' + loan.days + ' days')
  }
  return loan.days
}
`
const entry = `import { overdue } from './loans.ts'
const wait = () => Promise.resolve()
Object.assign(globalThis, {
  __partner_module__: {
    async handle() {
      await wait()
      return overdue({ days: 31 })
    },
  },
})
`

test("an error shows the partner's own files and lines, and no line of the runtime", async () => {
  const built = await bundle({ 'module.ts': entry, 'loans.ts': loans })
  const answer = await sandbox.client.call(requestOf('library', '', { loadBundle: async () => built }))
  assert.ok(!answer.ok)
  assert.equal(answer.error.kind, 'threw')
  assert.equal(answer.error.name, 'RangeError')
  const [message, first, second, ...rest] = answer.error.stack!.split('\n')
  assert.equal(message, 'RangeError: a loan of 31 days')
  assert.match(first!, /at \S+ \(loans\.ts:5:\d+\)$/)
  assert.match(second!, /\(module\.ts:7:\d+\)$/)
  assert.deepEqual(rest, [])
})

test('an error while loading is mapped too', async () => {
  const built = await bundle({
    'module.ts': `const settings: { a?: { b: number } } = {}\nconsole.log(settings.a!.b)\n`,
  })
  const answer = await sandbox.client.call(requestOf('broken', '', { loadBundle: async () => built }))
  assert.equal(!answer.ok && answer.error.kind, 'load_failed')
  assert.match((!answer.ok && answer.error.stack) || '', /module\.ts:2:\d+$/)
})

test('a bundle that could not be read once is asked for again', async () => {
  const built = await bundle({
    'overdue.ts': loans,
    'module.ts': `import { overdue } from './overdue.ts'\nglobalThis.__partner_module__ = { handle: () => overdue({ days: 40 }) }`,
  })
  const mapText = createStackMapper()
  const stack = `RangeError: x\n    at handle (partner:bundle:1:${built.code.indexOf('RangeError')})`
  const away = () => Promise.reject(new Error('the database is away'))
  assert.match(await mapText(stack, built.hash, away), /bundle:1:/)
  assert.match(await mapText(stack, built.hash, async () => built), /overdue\.ts:5:/)
})

test('a stack made up by the guest stays text and maps nothing it should not', async () => {
  const code = `globalThis.__partner_module__ = { handle() {
    const error = new Error('x'); error.stack = 'Error: x\\n    at a (/etc/passwd:1:1)\\n    at b (partner:bundle:999999:1)'; throw error } }`
  const answer = await sandbox.client.call(requestOf('made-up', code))
  assert.equal(!answer.ok && answer.error.stack, 'Error: x\n    at b (bundle:999999:1)')
})

test('a logged stack is mapped within its text, without the frames of the runtime, and only so many places of it', () => {
  const logged =
    'note: Error: x\n    at f (partner:bundle:7:3)\n    at step (partner:bootstrap:51:36)\n    at /etc/passwd:1:1 end'
  assert.equal(mapLogged(logged, undefined), 'note: Error: x\n    at f (bundle:7:3)\n    at /etc/passwd:1:1 end')
  let asked = 0
  const findOrigin = () => {
    asked++
    return { fileName: 'src/index.ts', lineNumber: 2, columnNumber: 5 }
  }
  const many = mapLogged('partner:bundle:1:1 '.repeat(1_000), { findOrigin } as never)
  assert.equal(asked, 16)
  assert.ok(many.startsWith('src/index.ts:2:5 '))
})

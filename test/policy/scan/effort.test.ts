import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { after, test } from 'node:test'
import { defaultLimits } from '../../../policy/scan/limits.ts'
import { createScanner } from '../../../policy/scan/scan.ts'
import { catalog, operations } from '../support/catalog.ts'
import { brief, manifest, moduleFolder, writeFiles } from '../support/module.ts'

const input = { catalog, operations }
const entry =
  "import { defineModule } from '@partner/sdk'\nimport './a.ts'\nimport './b.ts'\nexport default defineModule({})\n"
const plain = 'export const plain = 1\n'

/** Each line holds what the one before holds in three more ways: without an end to it, gigabytes and minutes. */
const tangled = `let a: any = [[[]]]
${'a = [a, [a.flat(Infinity)], Object.entries(a), Object.groupBy(a, (x: any) => x)]\n'.repeat(300)}export const tangle = () => a\n`
const heirs = Array.from(
  { length: 499 },
  (_, i) => `class C${i + 1} extends C${i} { run(): any { return [super.run(), new C${i + 1}(this.c), this] } }\n`,
)
const inherited = `class C0 { constructor(public c: any) {} run(): any { return this.c } }
${heirs.join('')}export const last = (c: any) => new C499(c).run()\n`

const strict = createScanner({ steps: 2_000_000 })
after(() => strict.close())

for (const [name, code] of Object.entries({ tangled, inherited })) {
  test(`small code that would take all of the scan's time or memory to follow is file-timeout at its file: ${name}`, async (context) => {
    const files = { 'src/index.ts': entry, 'src/a.ts': plain, 'src/b.ts': code }
    const report = await strict.scan(await moduleFolder(context, { 'manifest.json': manifest(), ...files }), input)
    assert.deepEqual(brief(report), ['file-timeout src/b.ts:1'])
    assert.match(report.findings[0]!.message, /too many steps to follow/)
  })
}

test('the modules of this repository are followed in a thousandth of the steps that a module may take', async () => {
  const scanner = createScanner({ steps: defaultLimits.steps / 1000 })
  for (const slug of ['library', 'attendance']) {
    const { findings } = await scanner.scan(path.resolve(import.meta.dirname, '../../../modules', slug), input)
    assert.ok(!findings.some(({ rule }) => rule === 'file-timeout'), slug)
  }
  await scanner.close()
})

/** About forty thousand steps to follow. */
const long = `${Array.from({ length: 1000 }, (_, i) => `const f${i} = (c: any): any => f${i + 1}(c, f${i + 1})\n`).join('')}
const f1000 = (c: any) => c
export const run = (c: any) => f0(c)\n`

test('what unchanged files took counts, so that a scan of changes says what a whole one says, and says so when it is mended', async (context) => {
  const scanner = createScanner({ steps: 60_000 })
  context.after(() => scanner.close())
  const dir = await moduleFolder(context, {
    'manifest.json': manifest(),
    'src/index.ts': entry,
    'src/a.ts': long,
    'src/b.ts': plain,
  })
  const cacheFolder = await moduleFolder(context, {})
  execFileSync('git', ['-C', dir, 'init', '--quiet'])
  const changed = execFileSync('git', ['-C', dir, 'hash-object', '-t', 'tree', '/dev/null']).toString().trim()
  for (const [b, found] of [
    [plain, []],
    [`${long}export const more = (c: any) => run(c)\n`, ['file-timeout src/a.ts:1']],
    [plain, []],
  ] as const) {
    await writeFiles(dir, { 'src/b.ts': b })
    assert.deepEqual(brief(await scanner.scan(dir, { ...input, changed, cacheFolder })), found)
    assert.deepEqual(brief(await scanner.scan(dir, input)), found)
  }
})

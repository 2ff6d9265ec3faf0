import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { runScan } from '../../../policy/scan/command.ts'
import { catalog, operations } from '../support/catalog.ts'
import { type Files, manifest, moduleFolder, requesting } from '../support/module.ts'
import type { TestContext } from 'node:test'

const clean = {
  'manifest.json': manifest(requesting('education.students.read')),
  'src/index.ts':
    "import { defineModule } from '@partner/sdk'\nexport default defineModule({ routes: { 'GET /': async ({ services }) => services.education.students.list({}) } })\n",
}
const broken = { ...clean, 'src/a b.ts': "\n  eval('\\u001b[31m')\n" }

async function run(context: TestContext, files: Files, format?: string) {
  const dir = await moduleFolder(context, files)
  let out = ''
  let error = ''
  const code = await runScan(
    { dir, catalog, operations, ...(format ? { format } : {}) },
    { out: (text) => (out += text), error: (text) => (error += text) },
  )
  return { code, out, error }
}

test('a clean module answers 0 with its scopes and their lines as JSON', async (context) => {
  const { code, out } = await run(context, clean, 'json')
  const report = JSON.parse(out)
  assert.equal(code, 0)
  assert.deepEqual(Object.keys(report), ['findings', 'scopes', 'files', 'ms'])
  assert.deepEqual(report.scopes, {
    used: [
      {
        scope: 'education.students.read',
        uses: [{ operation: 'education.students.list', file: 'src/index.ts', line: 2 }],
      },
    ],
    declared: ['education.students.read'],
    unused: [],
    undeclared: [],
  })
})

test('warnings alone answer 0, errors 1', async (context) => {
  const warned = { ...clean, 'manifest.json': manifest(requesting('education.students.read', 'education.grades.read')) }
  assert.equal((await run(context, warned)).code, 0)
  const { code, out } = await run(context, broken)
  assert.equal(code, 1)
  assert.match(out, /^src\/a b\.ts:2:3 error dynamic-code {2}/)
})

test('a name of a file commands no terminal and begins no line', async (context) => {
  const { out } = await run(context, { ...clean, 'src/a\u001b[31m\nb.ts': 'eval(x)' }, 'text')
  assert.match(out, /^src\/a\ufffd\[31m\ufffdb\.ts:1:1 error dynamic-code /m)
})

test('what cannot run answers 2 with one line', async (context) => {
  const unknown = await run(context, clean, 'xml')
  assert.deepEqual([unknown.code, unknown.out], [2, ''])
  assert.match(unknown.error, /^partner scan: --format takes text, json, sarif, not xml\n$/)
  let error = ''
  assert.equal(
    await runScan(
      { dir: '/nowhere/at/all', catalog, operations },
      { out: () => undefined, error: (text) => (error += text) },
    ),
    2,
  )
  assert.match(error, /^partner scan: \/nowhere\/at\/all is no folder\n$/)
})

/** What the schema of SARIF 2.1.0 demands of the parts the scan writes; objects are closed there, as they are here. */
const location = z.strictObject({
  physicalLocation: z.strictObject({
    artifactLocation: z.strictObject({ uri: z.string().regex(/^[^\s\\]+$/) }),
    region: z.strictObject({ startLine: z.int().min(1), startColumn: z.int().min(1) }),
  }),
})
const message = z.strictObject({ text: z.string().min(1) })
const level = z.enum(['none', 'note', 'warning', 'error'])
const rule = z.strictObject({
  id: z.string().min(1),
  name: z.string(),
  shortDescription: message,
  help: z.strictObject({ text: z.string().min(1), markdown: z.string() }),
  defaultConfiguration: z.strictObject({ level }),
})
const driver = z.strictObject({
  name: z.string().min(1),
  semanticVersion: z.string(),
  rules: z.array(rule).refine((rules) => new Set(rules.map(({ id }) => id)).size === rules.length),
})
const result = z.strictObject({
  ruleId: z.string(),
  ruleIndex: z.int().min(-1),
  level,
  message,
  locations: z.array(location),
})
const sarif = z.strictObject({
  $schema: z.url(),
  version: z.literal('2.1.0'),
  runs: z.array(
    z.strictObject({
      tool: z.strictObject({ driver }),
      columnKind: z.enum(['utf16CodeUnits', 'unicodeCodePoints']),
      results: z.array(result),
    }),
  ),
})

test('SARIF has the shape its schema demands, with findings and without', async (context) => {
  for (const files of [clean, broken, { ...broken, 'manifest.json': '{' }])
    sarif.parse(JSON.parse((await run(context, files, 'sarif')).out))
})

test('SARIF 2.1.0: every result has its rule, level, message and a region from 1', async (context) => {
  const { out } = await run(context, broken, 'sarif')
  const log = JSON.parse(out)
  assert.equal(log.version, '2.1.0')
  assert.match(log.$schema, /sarif-schema-2\.1\.0\.json$/)
  const [only] = log.runs
  assert.equal(only.results.length, 1)
  const [result] = only.results
  assert.equal(only.tool.driver.rules[result.ruleIndex].id, result.ruleId)
  assert.deepEqual([result.ruleId, result.level], ['dynamic-code', 'error'])
  assert.deepEqual(result.locations[0].physicalLocation, {
    artifactLocation: { uri: 'src/a%20b.ts' },
    region: { startLine: 2, startColumn: 3 },
  })
})

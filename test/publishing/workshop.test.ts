import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createWorkshop } from '../../host/publishing/source/workshop.ts'
import type { SourceFiles } from '../../host/publishing/source/source-files.ts'

const source = (texts: Record<string, string>): SourceFiles =>
  Object.fromEntries(Object.entries(texts).map(([path, text]) => [path, Buffer.from(text).toString('base64')]))

const module = (name: string) =>
  source({
    'src/index.ts': `import { defineModule } from '@partner/sdk'\nexport default defineModule({})\n// ${name}\n`,
  })

const workshop = createWorkshop()
after(() => workshop.close())

const filesOfBundle = (files: SourceFiles) =>
  workshop.withSource(files, async ({ builder }) => {
    const [answer] = await Promise.all([builder.ask('bundle'), builder.ask('bundle')])
    return 'bundle' in answer ? answer.bundle.files : answer.findings
  })

test('a source that was read ahead is found read, once; other files get a builder of their own', async () => {
  workshop.readAhead([module('ahead'), module('beside')])
  assert.deepEqual(await filesOfBundle(module('ahead')), ['src/index.ts'])
  assert.deepEqual(await filesOfBundle(module('ahead')), ['src/index.ts'])
  assert.deepEqual(await filesOfBundle(module('beside')), ['src/index.ts'])
  assert.deepEqual(await filesOfBundle(source({ 'src/other.ts': '' })), [
    {
      file: 'src/index.ts',
      line: 1,
      column: 1,
      message: 'there is no src/index.ts',
      rule: 'no_module',
      severity: 'error',
    },
  ])
})

test('what is wrong with a source read ahead is said to whoever asks, and a builder nobody asked ends with the workshop', async () => {
  const broken = source({ 'src/index.ts': 'export default (' })
  workshop.readAhead([broken, module('unused')])
  const [finding] = await filesOfBundle(broken)
  assert.match(JSON.stringify(finding), /compile_error/)
})

import { jsonOf } from './json-of.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSentBundles } from '../../host/isolates/client/sent-bundles.ts'
import { createFrameReader, frameType } from '../../host/isolates/wire/frames.ts'
import { startSandbox } from './support.ts'

function recorded() {
  const seen: string[] = []
  const read = createFrameReader(({ type, number }) =>
    seen.push(`${type === frameType.bundle ? 'sent' : 'forgot'} ${number}`),
  )
  return { seen, bundles: createSentBundles(read) }
}
const megabytes = (count: number) => 'x'.repeat(count * 1_048_576)

test('a bundle crosses once for any number of installations, with its cache and without', () => {
  const { seen, bundles } = recorded()
  const bundle = { hash: 'a', code: '1', cache: undefined }
  assert.deepEqual([bundles.numberOf(bundle), bundles.numberOf(bundle)], [1, 1])
  assert.equal(bundles.numberOf({ ...bundle, cache: new Uint8Array(9) }), 2)
  assert.deepEqual(seen, ['sent 1', 'sent 2'])
})

test('the runner is told to forget the bundle nobody used for longest', () => {
  const { seen, bundles } = recorded()
  for (const hash of ['a', 'b', 'a', 'c']) bundles.numberOf({ hash, code: megabytes(3), cache: undefined })
  assert.equal(bundles.numberOf({ hash: 'b', code: megabytes(3), cache: undefined }), 4)
  assert.deepEqual(seen, ['sent 1', 'sent 2', 'forgot 2', 'sent 3', 'forgot 1', 'sent 4'])
})

test('installations of one app share its code and nothing else', async () => {
  const sandbox = await startSandbox()
  try {
    const handle = '() => (globalThis.count = (globalThis.count ?? 0) + 1)'
    for (const id of ['one', 'two', 'three']) {
      const installation = { id, app: 'counter', version: '1', tenantId: id }
      const answer = await sandbox.run('counter', handle, { installation })
      assert.equal(answer.ok && jsonOf(answer), '1')
    }
  } finally {
    await sandbox.close()
  }
})

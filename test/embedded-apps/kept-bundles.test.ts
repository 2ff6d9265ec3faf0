import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createKeptBundles } from '../../host/embedded-apps/kept-bundles.ts'

const sized = (bytes: number) => ({ bundle: { code: 'x'.repeat(bytes / 2), hash: '' } })

test('bundles are kept within a number of bytes, the longest unused dropped first', () => {
  const kept = createKeptBundles(1_000)
  for (const key of ['a', 'b', 'c']) kept.put(key, sized(300))
  kept.get('a')
  kept.put('d', sized(300))
  const held = () => ['a', 'b', 'c', 'd', 'e'].filter((key) => kept.get(key))
  assert.deepEqual(held(), ['a', 'c', 'd'])
  kept.put('e', sized(900))
  assert.deepEqual(held(), ['e'])
})

test('source map and code cache count; what is larger than all is not kept; one that is put again counts once', () => {
  const kept = createKeptBundles(1_000)
  const whole = {
    bundle: { code: 'x'.repeat(100), sourceMap: 'x'.repeat(300), codeCache: new Uint8Array(300), hash: '' },
  }
  kept.put('whole', whole)
  assert.equal(kept.get('whole'), undefined)
  kept.put('small', sized(600))
  kept.put('small', sized(500))
  kept.put('other', sized(500))
  assert.ok(kept.get('small') && kept.get('other'))
})

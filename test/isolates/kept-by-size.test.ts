import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createKeptBySize } from '../../host/isolates/client/kept-by-size.ts'

test('values are kept within a size, the longest unused dropped first and told; a larger one is kept alone', () => {
  const dropped: string[] = []
  const kept = createKeptBySize<string>(1_000, (value) => dropped.push(value))
  for (const key of ['a', 'b', 'c']) kept.put(key, key, 300)
  kept.get('a')
  kept.put('d', 'd', 300)
  assert.deepEqual(dropped, ['b'])
  kept.put('e', 'e', 5_000)
  assert.deepEqual(dropped, ['b', 'c', 'a', 'd'])
  assert.equal(kept.get('e'), 'e')
  kept.put('f', 'f', 1)
  assert.deepEqual([kept.get('e'), kept.get('f')], [undefined, 'f'])
})

test('one that is put again counts once', () => {
  const dropped: string[] = []
  const kept = createKeptBySize<string>(1_000, (value) => dropped.push(value))
  for (const value of ['old', 'new']) kept.put('a', value, 600)
  kept.put('b', 'b', 400)
  assert.deepEqual([kept.get('a'), kept.get('b'), dropped], ['new', 'b', []])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { causesOf, rememberedCauses } from '../../host/isolates/client/causes.ts'
import type { OpenRequest } from '../../host/isolates/client/open-request.ts'

const requests = (count: number, open: boolean) =>
  Array.from({ length: count }, (_, id) => ({ id, open }) as OpenRequest)

test('a step is the work of each of its requests once', () => {
  const [a, b] = requests(2, true) as [OpenRequest, OpenRequest]
  const step = [[a], [b, a], [], [b]].map((causes) => ({ text: '', causes }))
  assert.deepEqual(causesOf(step), [a, b])
  assert.deepEqual(causesOf([]), [])
})

test('a timer remembers who is open and one for all who are not, and none of too many', () => {
  const [open, closed] = [requests(15, true), requests(100, false)]
  assert.deepEqual(rememberedCauses([...closed, ...open]), [closed[0], ...open])
  assert.deepEqual(rememberedCauses(closed), [closed[0]])
  assert.deepEqual(rememberedCauses([...closed, ...open, ...requests(1, true)]), [])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSlots } from '../../host/isolates/client/slots.ts'

test('numbers only grow, and each finds its own value, whatever stayed and whatever went', () => {
  const slots = createSlots<string>()
  const expected = new Map<number, string>()
  let last = 0
  for (let turn = 0; turn < 5_000; turn++) {
    const number = slots.next()
    assert.ok(number > last)
    last = number
    assert.equal(slots.last(), number)
    slots.set(number, `value ${number}`)
    expected.set(number, `value ${number}`)
    // Some stay for long, most go at once, and every thousand turns there is a crowd.
    for (const old of [...expected.keys()]) {
      const stays = old % 97 === 0 ? turn % 500 !== 0 : turn % 1_000 < 100
      if (stays) continue
      slots.delete(old)
      slots.delete(old)
      expected.delete(old)
    }
    assert.equal(slots.size(), expected.size)
  }
  assert.deepEqual(slots.values().sort(), [...expected.values()].sort())
  const visited: string[] = []
  slots.forEach((value) => {
    visited.push(value)
  })
  assert.deepEqual(visited.sort(), [...expected.values()].sort())
  const [one] = expected.values()
  assert.equal(
    slots.find((value) => value === one),
    one,
  )
  assert.equal(
    slots.find(() => false),
    undefined,
  )
  for (const [number, value] of expected) assert.equal(slots.get(number), value)
  assert.equal(slots.get(last + 1), undefined)
})

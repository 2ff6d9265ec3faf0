import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inTurns } from '../../host/processes/at-most.ts'

test('who asks for much at once waits for it alone: others come in between, also after work that failed', async () => {
  const inTurn = inTurns(2)
  const begun: string[] = []
  const end: (() => void)[] = []
  const ask = (key: string, name: string) =>
    inTurn(key, () => {
      begun.push(name)
      return new Promise<void>((done, fail) => end.push(name === 'a1' ? () => fail(new Error(name)) : done))
    })
  const [first, ...rest] = [ask('a', 'a1'), ask('a', 'a2'), ask('b', 'b1'), ask('c', 'c1')]
  assert.deepEqual(begun, ['a1', 'b1'])
  end[0]!()
  await assert.rejects(first!, { message: 'a1' })
  assert.deepEqual(begun, ['a1', 'b1', 'c1'])
  end[1]!()
  await new Promise(setImmediate)
  assert.deepEqual(begun, ['a1', 'b1', 'c1', 'a2'])
  for (const done of end) done()
  await Promise.all(rest)
})

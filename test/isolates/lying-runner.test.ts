import { jsonOf } from './json-of.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mostTimers } from '../../host/isolates/limits.ts'
import { encodeFrame, frameType } from '../../host/isolates/wire/frames.ts'
import { askLiar } from './liar.ts'

const hugeLength = Buffer.alloc(13)
hugeLength.writeUInt32LE(0xfffffff0, 0)
const longFailure = JSON.stringify({ kind: 'threw', message: 'x'.repeat(64_000) })
const lies: Record<string, Buffer | string> = {
  'a frame of four gigabytes': hugeLength,
  'a frame shorter than its header': Buffer.from([3, 0, 0, 0, 1, 2, 3]),
  'a frame of an isolate that never was': encodeFrame(frameType.stepped, 99, 0, '0'),
  'a frame of an unknown type': encodeFrame(77, 1, 0, ''),
  'a second loading': encodeFrame(frameType.loaded, 1, 0),
  'an isolate gone for no known reason': encodeFrame(frameType.gone, 1, 0, 'because\nof that'),
  'a message without a header': '0d1',
  'a message of an unknown kind': '0z1 2\n',
  'a message longer than its frame': '0d1 5000\nnull',
  'a negative length': '0d1 -1\n',
  'a number that is none': '0d1 1e3\n',
  'a result of a request that never was': '0d77 4\nnull',
  'a result that is no JSON': '0d1 5\nhello',
  'a result with a line break': '0d1 4\n"\n1"',
  'a failure out of form': '0f1 4\nnull',
  'a failure of an unknown kind': '0f1 14\n{"kind":"root"}',
  'a failure of too many words': `0f1 ${longFailure.length}\n${longFailure}`,
  'a text out of form': encodeFrame(frameType.answered, 1, 0, '0d1 4\nnull'),
  'a text of a request that never was': encodeFrame(frameType.answered, 1, 0, '0s77 2\nhi'),
  'a log line of an unknown level': '0l1 8\nfatal hi',
}

for (const [name, lie] of Object.entries(lies)) {
  test(`${name} condemns the runner and loses the call, nothing else`, async () => {
    const { answer, condemned } = await askLiar(lie)
    assert.equal(answer.ok ? jsonOf(answer) : answer.error.kind, 'runner_lost')
    assert.equal(condemned.length, 1)
  })
}

test('the host counts for itself what a request of tighter limits than its runner asks for', async () => {
  const calls = [1, 2, 3, 4].map((call) => `h1 ${call} 1 4\nxnull`).join('')
  const { answer } = await askLiar(`1${calls}`, { totalCalls: 3 })
  assert.equal(answer.ok ? jsonOf(answer) : answer.error.kind, 'too_many_calls')
})

test('acknowledging more steps than were asked for condemns the runner', async () => {
  const step = encodeFrame(frameType.stepped, 1, 0, '1h1 1 1 4\nxnull')
  const { condemned } = await askLiar(Buffer.concat([step, step]))
  assert.equal(condemned.length, 1)
  const text = encodeFrame(frameType.answered, 1, 0, '1s9 2\nhi')
  assert.equal((await askLiar(Buffer.concat([step, text]))).condemned.length, 1)
})

test('a call whose time was up when its isolate went has timed out, whoever saw it first', async () => {
  const begun = encodeFrame(frameType.stepped, 1, 10, '1h1 1 1 4\nxnull')
  const gone = encodeFrame(frameType.gone, 1, 0, 'evicted\nnobody waits for it any more')
  const { answer, condemned } = await askLiar(begun, { wallMs: 250 }, { ms: 252, bytes: gone })
  assert.equal(!answer.ok && answer.error.kind, 'timeout')
  assert.deepEqual(condemned, [])
})

test('a lie in the name of an isolate is a strike against its installation', async () => {
  const { strikes } = await askLiar('0d1 5\nhello')
  assert.deepEqual(strikes, ['asker'])
})

test('a result larger than allowed is refused though the runner let it pass', async () => {
  const { answer, condemned } = await askLiar(`0d1 1100002\n"${'a'.repeat(1_100_000)}"`)
  assert.equal(!answer.ok && answer.error.kind, 'result_too_large')
  assert.deepEqual(condemned, [])
})

test('a text larger than allowed is refused, one within the limit arrives, however long it says it is', async () => {
  const text = (length: number) => encodeFrame(frameType.answered, 1, 0, `0s1 5\n${'ب'.repeat(length)}`)
  const { answer: refused } = await askLiar(text(600_000))
  assert.equal(!refused.ok && refused.error.kind, 'result_too_large')
  const { answer, condemned } = await askLiar(text(300_000))
  assert.equal(answer.ok && jsonOf(answer), JSON.stringify('ب'.repeat(300_000)))
  assert.deepEqual(condemned, [])
})

test('a failure keeps its known fields only', async () => {
  const text = '{"kind":"threw","message":"m","status":9999,"code":5,"__proto__":{"x":1},"host":"secret"}'
  const { answer } = await askLiar(`0f1 ${text.length}\n${text}`)
  assert.deepEqual(!answer.ok && answer.error, { kind: 'threw', message: 'm' })
})

test('a guest that sets timers without end gets a thousand, and none once its requests have ended', async (t) => {
  const set = t.mock.method(globalThis, 'setTimeout')
  const timers = (first: number) => Array.from({ length: 1_100 }, (_, n) => `t${first + n} 59999\n`).join('')
  const { answer, condemned } = await askLiar(`1${timers(1)}d1 4\nnull${timers(2_000)}`)
  assert.deepEqual([answer.ok, condemned], [true, []])
  assert.equal(set.mock.calls.filter(({ arguments: [, ms] }) => ms === 59_999).length, mostTimers)
})

test('a runner that has ever more to say is heard until the time of its request is up', async () => {
  const { answer, condemned } = await askLiar('2', { wallMs: 200 })
  assert.equal(answer.ok ? jsonOf(answer) : answer.error.kind, 'timeout')
  assert.deepEqual(condemned, [])
})

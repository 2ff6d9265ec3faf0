import { jsonOf } from './json-of.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { encodeFrame, frameType, maxFrameBytes } from '../../host/isolates/wire/frames.ts'
import { askLiar } from './liar.ts'

const types = fc.oneof(fc.constantFrom(...Object.values(frameType)), fc.nat(255))
const bytes = fc.uint8Array({ maxLength: 300 }).map((list) => Buffer.from(list))
const text = fc
  .array(
    fc.constantFrom(
      '0',
      '1',
      'd1 4\nnull',
      'h1 1 1 4\nxnull',
      'l1 7\ninfo hi',
      't1 5\n',
      'f1 2\n{}',
      '9'.repeat(15),
      ' ',
      '\n',
    ),
  )
  .map((pieces) => Buffer.from(pieces.join('')))
const whole = fc
  .tuple(types, fc.constantFrom(0, 1, 2, 4_294_967_295), fc.nat(), fc.oneof(bytes, text))
  .map(([type, isolate, number, body]) => encodeFrame(type, isolate, number, body))
const truncated = fc.tuple(whole, fc.nat(20)).map(([frame, cut]) => frame.subarray(0, Math.max(1, frame.length - cut)))
const overlong = fc.tuple(whole, fc.integer({ min: maxFrameBytes - 8, max: 0xffff_ffff })).map(([frame, length]) => {
  const lying = Buffer.from(frame)
  lying.writeUInt32LE(length, 0)
  return lying
})
const lie = fc.array(fc.oneof(whole, bytes, truncated, overlong), { minLength: 1, maxLength: 6 })

test('whatever bytes a runner sends, the caller gets a typed answer and the web process neither stops nor grows', async () => {
  const before = process.memoryUsage.rss()
  await fc.assert(
    fc.asyncProperty(lie, async (pieces) => {
      const { answer } = await askLiar(Buffer.concat(pieces), { wallMs: 50 })
      assert.equal(typeof (answer.ok ? jsonOf(answer) : answer.error.kind), 'string')
    }),
    { numRuns: 300 },
  )
  const grownMb = (process.memoryUsage.rss() - before) / 1_048_576
  assert.ok(grownMb < 150, `${grownMb} MB`)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createFrameReader, encodeFrame, type Frame } from '../../host/isolates/wire/frames.ts'
import { type GuestMessage, readGuestMessages } from '../../host/isolates/wire/messages.ts'

const frame = fc.record({ type: fc.nat(255), isolate: fc.nat(), number: fc.nat(), body: fc.string({ unit: 'binary' }) })

test('frames come out as they went in, however the stream is cut', () => {
  fc.assert(
    fc.property(
      fc.array(frame, { maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
      (sent, cuts) => {
        const stream = Buffer.concat(sent.map((one) => encodeFrame(one.type, one.isolate, one.number, one.body)))
        const received: Frame[] = []
        const read = createFrameReader((one) => received.push({ ...one, body: Buffer.from(one.body) }))
        for (let at = 0, cut = 0; at < stream.length; cut++) {
          const size = cuts[cut % cuts.length]!
          read(stream.subarray(at, at + size))
          at += size
        }
        assert.deepEqual(
          received.map((one) => ({ ...one, body: one.body.toString('utf8') })),
          sent.map((one) => ({ ...one, body: Buffer.from(one.body).toString('utf8') })),
        )
      },
    ),
    { numRuns: 200 },
  )
})

test('whatever text a guest sends is read as messages or refused with a RangeError', () => {
  const piece = fc.oneof(
    fc.constantFrom('d1 ', 'h', ' ', '\n', '4\nnull', '1 1 0 0\n', 'l', '-', '9999999999999999999'),
    fc.string(),
  )
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const seen: GuestMessage[] = []
      try {
        readGuestMessages(pieces.join(''), 0, (message) => seen.push(message))
      } catch (error) {
        assert.ok(error instanceof RangeError)
      }
    }),
    { numRuns: 2_000 },
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createFrameReceiver } from '../../host/isolates/wire/frame-receiver.ts'
import { createFrameReader, encodeFrame, type Frame } from '../../host/isolates/wire/frames.ts'
import { createLentBuffers } from '../../host/isolates/wire/lent-buffers.ts'

const maxBytes = 400_000

/** Feeds bytes as a socket would: as much as fits, and never more than a chunk at a time. */
function receive(bytes: Buffer, chunk: number): Frame[] {
  const frames: Frame[] = []
  const receiver = createFrameReceiver(
    createLentBuffers(),
    (frame, lent) => {
      frames.push({ ...frame, body: Buffer.from(frame.body) })
      lent?.release()
    },
    maxBytes,
  )
  for (let at = 0; at < bytes.length; ) {
    const space = receiver.space()
    const count = bytes.copy(space, 0, at, Math.min(bytes.length, at + chunk, at + space.length))
    assert.ok(count > 0, 'there is always room')
    at += count
    receiver.received(count)
  }
  return frames
}

function read(bytes: Buffer): Frame[] {
  const frames: Frame[] = []
  createFrameReader((frame) => frames.push({ ...frame, body: Buffer.from(frame.body) }), maxBytes)(bytes)
  return frames
}

const outcome = (run: () => Frame[]) => {
  try {
    return run()
  } catch (error) {
    return (error as Error).message
  }
}

const sizes = fc.oneof(
  fc.nat(200),
  fc.integer({ min: 65_500, max: 65_560 }),
  fc.integer({ min: 100_000, max: 300_000 }),
)

test('frames of every size arrive whole, however they are cut, as the plain reader reads them', () => {
  fc.assert(
    fc.property(fc.array(sizes, { maxLength: 6 }), fc.integer({ min: 1_000, max: 200_000 }), (lengths, chunk) => {
      const sent = lengths.map((length, index) => encodeFrame(1, index, length, Buffer.alloc(length, index + 1)))
      const bytes = Buffer.concat(sent)
      assert.deepEqual(receive(bytes, chunk), read(bytes))
    }),
    { numRuns: 60 },
  )
})

test('what is no frame is refused as the plain reader refuses it, before anything is allocated for it', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 4, maxLength: 60 }), (bytes) => {
      const buffer = Buffer.from(bytes)
      assert.deepEqual(
        outcome(() => receive(buffer, 7)),
        outcome(() => read(buffer)),
      )
    }),
  )
})

test('memory that was given back shows nothing of the next frame, whoever kept a view of it', () => {
  const lend = createLentBuffers()
  const first = lend(100_000)
  first.bytes.write('one school')
  const kept = first.bytes.subarray(0, 10)
  first.release()
  const second = lend(100_000)
  second.bytes.write('another school')
  assert.equal(kept.length, 0)
  assert.equal(first.bytes.length, 0)
  first.release()
  assert.equal(second.bytes.toString('utf8', 0, 14), 'another school', 'released twice is released once')
})

/**
 * The wire between host and runner: frames of `[u32 length][u8 type][u32 isolate][u32 number][body]`, little endian,
 * where `length` counts everything after itself. Both ends read with the same strict reader; whatever a runner sends is
 * treated as hostile, so a frame that is too long or too short is an error and never a large allocation.
 */
export const frameType = {
  /** host → runner: create an isolate. `number`: ms for which the answer is awaited. Body: u32 number of its bundle. */
  load: 1,
  /** host → runner: messages for the guest. `number`: ms for which the answer is awaited, a slice's at least. */
  step: 2,
  /** host → runner: drop an isolate. */
  drop: 3,
  /** both ways on the control lane; `number` is echoed. */
  ping: 4,
  /** runner → host on the control lane: the runner is up. */
  ready: 5,
  /** runner → host: the isolate is loaded. `number` is the CPU time in µs. */
  loaded: 6,
  /** runner → host: the isolate is gone. Body: `<why>\n<text>`. Ends every step it has not acknowledged. */
  gone: 7,
  /** runner → host: a step was taken. `number` is its CPU time in µs, body the guest's messages. */
  stepped: 8,
  /** runner → host: a rejection nobody handled in the guest. Body: its text. */
  orphan: 9,
  /** runner → host on the control lane: figures for the log. Body: JSON. */
  stats: 10,
  /** host → runner: a bundle for loads to come, to be known by `number`. Body: u32 code length, code, code cache. */
  bundle: 11,
  /** host → runner: bundle `number` is wanted no more. */
  forget: 12,
  /** runner → host: as `stepped`, where all that the guest said is one result that is a string: the body's rest. */
  answered: 13,
} as const

export type Frame = { type: number; isolate: number; number: number; body: Buffer }

const headerBytes = 9
/** The largest frame either end accepts: a full outbox of a guest's, at three bytes a character, with room to spare. */
export const maxFrameBytes = 25 * 1_048_576

export function encodeFrame(type: number, isolate: number, number: number, body: string | Buffer = ''): Buffer {
  const size = typeof body === 'string' ? Buffer.byteLength(body) : body.length
  const frame = Buffer.allocUnsafe(4 + headerBytes + size)
  frame.writeUInt32LE(headerBytes + size, 0)
  frame[4] = type
  frame.writeUInt32LE(isolate, 5)
  frame.writeUInt32LE(number, 9)
  if (typeof body === 'string') frame.write(body, 13, 'utf8')
  else body.copy(frame, 13)
  return frame
}

/** How many bytes the frame that begins here takes in all. */
export function wholeLength(buffer: Buffer, at: number, maxBytes: number): number {
  const length = buffer.readUInt32LE(at)
  if (length < headerBytes || length > maxBytes) throw new RangeError(`a frame of ${length} bytes`)
  return 4 + length
}

/** The whole frame of `size` bytes that begins here. */
export const frameAt = (buffer: Buffer, at: number, size: number): Frame => ({
  type: buffer[at + 4]!,
  isolate: buffer.readUInt32LE(at + 5),
  number: buffer.readUInt32LE(at + 9),
  body: buffer.subarray(at + 13, at + size),
})

/** Feeds chunks in, hands whole frames out. Throws a RangeError on a frame that cannot be. */
export function createFrameReader(onFrame: (frame: Frame) => void, maxBytes = maxFrameBytes): (chunk: Buffer) => void {
  let chunks: Buffer[] = []
  let held = 0
  let needed = 4

  const readWhole = (buffer: Buffer): Buffer => {
    let at = 0
    needed = 4
    while (buffer.length - at >= 4) {
      const size = wholeLength(buffer, at, maxBytes)
      if (buffer.length - at < size) {
        needed = size
        break
      }
      onFrame(frameAt(buffer, at, size))
      at += size
    }
    return buffer.subarray(at)
  }

  return (chunk) => {
    chunks.push(chunk)
    held += chunk.length
    if (held < needed) return
    const rest = readWhole(chunks.length === 1 ? chunk : Buffer.concat(chunks, held))
    chunks = rest.length > 0 ? [rest] : []
    held = rest.length
  }
}

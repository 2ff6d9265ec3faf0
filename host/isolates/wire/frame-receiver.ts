import { Socket, type SocketConstructorOpts } from 'node:net'
import { type Frame, frameAt, maxFrameBytes, wholeLength } from './frames.ts'
import type { Lent } from './lent-buffers.ts'

/** Frames up to this size share one buffer; a larger one is read into memory of its own. */
const sharedBytes = 65_536

/**
 * Takes frames out of what is read into the buffers it names, as strictly as `createFrameReader`. A body is good until
 * `onFrame` returns; that of a large frame, until what is lent with it is released.
 */
export function createFrameReceiver(
  lend: (size: number) => Lent,
  onFrame: (frame: Frame, lent?: Lent) => void,
  maxBytes = maxFrameBytes,
) {
  const shared = Buffer.allocUnsafeSlow(sharedBytes)
  let held = 0
  let large: Lent | undefined
  let filled = 0

  const takeShared = () => {
    let at = 0
    while (held - at >= 4) {
      const size = wholeLength(shared, at, maxBytes)
      if (size > held - at) {
        if (size <= sharedBytes) break
        large = lend(size)
        filled = shared.copy(large.bytes, 0, at, held)
        held = 0
        return
      }
      onFrame(frameAt(shared, at, size))
      at += size
    }
    shared.copyWithin(0, at, held)
    held -= at
  }
  return {
    /** Where the next bytes belong. */
    space: (): Buffer => (large ? large.bytes.subarray(filled) : shared.subarray(held)),
    /** So many bytes were written there. Throws a RangeError on a frame that cannot be. */
    received(count: number): void {
      if (large === undefined) {
        held += count
        takeShared()
        return
      }
      filled += count
      if (filled < large.bytes.length) return
      const whole = large
      large = undefined
      onFrame(frameAt(whole.bytes, 0, whole.bytes.length), whole)
    },
  }
}

type HandleOwner = { _handle: unknown }

/**
 * The same connection, read by `receiver` without a copy. Node lets the memory be chosen (`onread`) only when a socket is
 * made, and sockets of child processes come ready made: so the handle moves to a new one. Whatever came before waits in
 * the kernel, since nobody has read yet.
 */
export function readInPlace(
  made: Socket,
  receiver: { space(): Buffer; received(count: number): void },
  onError: (error: unknown) => void,
): Socket {
  const owner = made as unknown as HandleOwner
  const handle = owner._handle
  owner._handle = null
  const onread = {
    buffer: () => receiver.space(),
    callback(count: number) {
      try {
        receiver.received(count)
      } catch (error) {
        onError(error)
      }
      return true
    },
  }
  return new Socket({ handle, readable: true, writable: true, onread } as SocketConstructorOpts)
}

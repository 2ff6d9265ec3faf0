import type { Socket } from 'node:net'

/** Inherited descriptor of the socket between publisher and builder. */
export const doorFd = 3

/** A bundle with its map and the largest scan report fit; a builder gone wrong cannot fill the publisher's memory. */
const largestMessage = 64 << 20

/** Messages as JSON texts, each after its length. Throws a RangeError on one that is too long. */
export function readMessages(onMessage: (message: unknown) => void): (chunk: Buffer) => void {
  let held = Buffer.alloc(0)
  const chunks: Buffer[] = []
  let size = 0
  let needed = 4
  return (chunk) => {
    chunks.push(chunk)
    size += chunk.length
    if (size < needed) return
    held = Buffer.concat(chunks.splice(0))
    let at = 0
    needed = 4
    while (held.length - at >= 4) {
      const length = held.readUInt32LE(at)
      if (length > largestMessage) throw new RangeError(`a message of ${length} bytes`)
      if (held.length - at < 4 + length) {
        needed = 4 + length
        break
      }
      onMessage(JSON.parse(held.toString('utf8', at + 4, at + 4 + length)))
      at += 4 + length
    }
    held = held.subarray(at)
    size = held.length
    if (size > 0) chunks.push(held)
  }
}

export function sendMessage(door: Socket, message: unknown): void {
  const text = Buffer.from(JSON.stringify(message))
  const head = Buffer.alloc(4)
  head.writeUInt32LE(text.length)
  door.write(head)
  door.write(text)
}

import type { Writable } from 'node:stream'

/**
 * What a runner says, written when it has nothing left to do. Linux puts a process that is woken by a write on the writer's
 * core, where it waits until the writer sleeps: up to 4 ms beside an idle core, as the kernel's trace shows, whatever the
 * writer's priority. So a runner writes last.
 */
export function createOutgoing(socketOf: (lane: number) => Writable | undefined) {
  let waiting = new Map<number, Buffer[]>()
  return {
    put(lane: number, frame: Buffer) {
      const frames = waiting.get(lane)
      if (frames) frames.push(frame)
      else waiting.set(lane, [frame])
    },
    /** One write for each lane. To be called before work that takes time, and at its end. */
    flush() {
      if (waiting.size === 0) return
      const all = waiting
      waiting = new Map()
      for (const [lane, frames] of all) socketOf(lane)?.write(frames.length === 1 ? frames[0]! : Buffer.concat(frames))
    },
  }
}

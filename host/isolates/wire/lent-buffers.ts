/** Memory that is somebody's until it is released. */
export type Lent = {
  readonly bytes: Buffer
  /** Gives the memory back. Every view of it is empty from then on: what was kept too long shows nothing of the next. */
  release(): void
}

/** Enough for a result at its default limit, with room to spare. */
const pooledBytes = 2 * 1_048_576
const mostPooled = 4

/** Lends memory that is used again and again: a fresh megabyte costs more to make than to fill. */
export function createLentBuffers(): (size: number) => Lent {
  const free: ArrayBuffer[] = []
  return (size) => {
    if (size > pooledBytes) return { bytes: Buffer.allocUnsafeSlow(size), release: () => {} }
    const memory = free.pop() ?? new ArrayBuffer(pooledBytes)
    return {
      bytes: Buffer.from(memory, 0, size),
      release() {
        if (memory.detached) return
        const given = memory.transfer()
        if (free.length < mostPooled) free.push(given)
      },
    }
  }
}

import { isUnavailable } from './unavailable.ts'

export type BulkWriter<Entry> = {
  put(entry: Entry): void
  /** Writes what waits. Resolves when all that was put until now is written, or when that failed and is tried again later. */
  flush(): Promise<void>
}

/** Of entries that wait for a database that is away; those after them are lost, and counted. */
const mostWaiting = 100_000
const againAfterMs = 1_000

/**
 * Writes entries in bulk, in their order, shortly after they came. While the database is away they wait: what a log is for
 * must not be lost because of a restart. A batch whose connection was lost may have been written, and is written again:
 * twice is better than not at all. A batch that is refused for another reason is told and gone.
 */
export function createBulkWriter<Entry>(options: {
  write(batch: readonly Entry[]): Promise<void>
  /** Milliseconds that an entry waits for others. */
  withinMs: number
  largestBatch: number
  onError(error: unknown): void
}): BulkWriter<Entry> {
  const { write, withinMs, largestBatch, onError } = options
  let waiting: Entry[] = []
  let lost = 0
  let isAway = false
  let timer: NodeJS.Timeout | null = null
  let writing: Promise<void> = Promise.resolve()

  /** What comes meanwhile waits for others of its kind. */
  async function writeWaiting(): Promise<void> {
    for (let left = waiting.length; left > 0; ) {
      const batch = waiting.slice(0, Math.min(left, largestBatch))
      isAway = !(await isDone(batch))
      if (isAway) {
        timer ??= setTimeout(flush, againAfterMs)
        return
      }
      waiting = waiting.slice(batch.length)
      left -= batch.length
    }
    if (lost > 0) onError(new Error(`${lost} entries are lost: the database was away for too long`))
    lost = 0
  }
  async function isDone(batch: readonly Entry[]): Promise<boolean> {
    try {
      await write(batch)
      return true
    } catch (error) {
      onError(error)
      return !isUnavailable(error)
    }
  }
  function flush(): Promise<void> {
    if (timer) clearTimeout(timer)
    timer = null
    writing = writing.then(writeWaiting)
    return writing
  }

  return {
    put(entry) {
      if (waiting.length >= mostWaiting) {
        lost++
        return
      }
      waiting.push(entry)
      if (waiting.length % largestBatch === 0 && !isAway) void flush()
      else timer ??= setTimeout(flush, isAway ? againAfterMs : withinMs)
    },
    flush,
  }
}

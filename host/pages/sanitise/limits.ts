/** What one page and its cleaning may hold on to, in MB of V8's heap. */
export const heapMb = 128
/** The process gives up by itself, between two tags, once a page took so many milliseconds of CPU: that costs nobody a new one. */
export const ownWorkMs = 180

/** When a process is ended from outside. */
export type CleaningLimits = {
  /** Milliseconds of CPU of its process that one page may take. */
  workMs: number
  /** The same on the clock: work of low rank may have to wait for its turn, but nobody waits for it longer. */
  clockMs: number
  /** A page that is not done by then is hurried. */
  hurryMs: number
  /** Pages wait no longer than this after a process began to start. */
  startMs: number
}

export const cleaningLimits: CleaningLimits = { workMs: 200, clockMs: 2_000, hurryMs: 500, startMs: 10_000 }

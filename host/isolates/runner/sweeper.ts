/** A runner that worked within these milliseconds is not quiet: what it serves needs a core more than memory needs sweeping. */
const quietMs = 50
/** A runner rests so many times as long as the sweep took before it sweeps the next isolate. */
const restPerSweep = 4

export type Sweeper = {
  /** Takes note of work for a caller. */
  worked(): void
  /** Sweeps all that rest, unless that is under way. */
  begin(): void
}

/**
 * Sweeps resting isolates one at a time with rests between, while nobody calls: a call never waits for more than one sweep.
 * `sweepOne` is true while there may be more; `now` is in milliseconds.
 */
export function createSweeper(options: {
  sweepOne: () => boolean
  enqueue: (job: () => void) => void
  now: () => number
}): Sweeper {
  let underWay = false
  let workedAt = Number.NEGATIVE_INFINITY

  const sweepIn = (ms: number) => void setTimeout(() => options.enqueue(sweep), ms)
  const sweep = () => {
    const began = options.now()
    if (began - workedAt < quietMs) return sweepIn(quietMs)
    underWay = options.sweepOne()
    if (underWay) sweepIn((options.now() - began) * restPerSweep)
  }

  return {
    worked() {
      workedAt = options.now()
    },
    begin() {
      if (underWay) return
      underWay = true
      options.enqueue(sweep)
    },
  }
}

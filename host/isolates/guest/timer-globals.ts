/** Timers as the bootstrap keeps them, by number. */
export type TimerHost = {
  startTimer: (run: () => void, delay: number) => number
  clearTimer: (id: number) => void
}

type Run = (...args: unknown[]) => void

/**
 * `setTimeout` and `setInterval` as Node has them: a delay is taken for a number, and either clear takes the handle of
 * either. `ref` and `unref` change nothing but what `hasRef` says: an answer never waits for a timer, and a handler that
 * waits for one does in any case. Sent into the isolate as source text.
 */
export function makeTimerGlobals(host: TimerHost) {
  const toNumber = Number
  const leastPause = 4

  class Timeout {
    #id = 0
    #isClosed = false
    #hasRef = true
    constructor(run: () => void, delay: number, repeats: boolean) {
      const due = () => {
        if (repeats && !this.#isClosed) start()
        run()
      }
      const start = () => {
        this.#id = host.startTimer(due, delay)
      }
      start()
    }
    close(): this {
      this.#isClosed = true
      host.clearTimer(this.#id)
      return this
    }
    ref(): this {
      this.#hasRef = true
      return this
    }
    unref(): this {
      this.#hasRef = false
      return this
    }
    hasRef(): boolean {
      return this.#hasRef
    }
  }
  const clear = (handle: unknown) => {
    if (handle instanceof Timeout) handle.close()
  }
  return {
    setTimeout: (run: Run, delay?: unknown, ...args: unknown[]) =>
      new Timeout(() => run(...args), toNumber(delay), false),
    setInterval(run: Run, delay?: unknown, ...args: unknown[]) {
      const pause = toNumber(delay)
      return new Timeout(() => run(...args), pause > leastPause ? pause : leastPause, true)
    },
    clearTimeout: (handle: unknown) => clear(handle),
    clearInterval: (handle: unknown) => clear(handle),
  }
}

import { createSlots } from './slots.ts'

const sweepMs = 20

/**
 * Deadlines of open requests, swept together: a timer for each would cost a warm call a fifth of its time. Late by one
 * sweep at most; the sweeping stops when nothing is open.
 */
export function createDeadlines() {
  const watched = createSlots<{ at: number; expire: () => void }>()
  let sweeping: NodeJS.Timeout | undefined

  const sweep = () => {
    if (watched.size() === 0) {
      clearInterval(sweeping)
      sweeping = undefined
      return
    }
    const now = performance.now()
    for (const { at, expire } of watched.values()) if (at <= now) expire()
  }
  return {
    /** `at`: by `performance.now()`. A number to forget it by. */
    watch(at: number, expire: () => void): number {
      const number = watched.next()
      watched.set(number, { at, expire })
      sweeping ??= setInterval(sweep, sweepMs)
      return number
    },
    forget: watched.delete,
  }
}

export type Deadlines = ReturnType<typeof createDeadlines>

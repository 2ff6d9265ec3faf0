const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** Milliseconds from each failure to the next attempt. Source: specification, receiver rules 4. */
export const retryDelays: readonly number[] = [30 * second, 2 * minute, 10 * minute, hour, 6 * hour]

/** When to try again after the failed attempt `number` (from 1) that ended at `endedAt`; null: that was the last. */
export function nextAttempt(number: number, endedAt: Date): Date | null {
  const delay = retryDelays[number - 1]
  return delay === undefined ? null : new Date(endedAt.getTime() + delay)
}

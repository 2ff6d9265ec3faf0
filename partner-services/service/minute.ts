const [minute, day] = [60_000, 86_400_000]

/** Number of the calendar minute in UTC, counted from 1970: the window of every limit. Source: decisions.md, rate limit. */
export const minuteOf = (moment: Date): number => Math.floor(moment.getTime() / minute)

/** Number of the last minute of the calendar day in UTC: a day's window, which has passed when that minute has. */
export const lastMinuteOfDay = (moment: Date): number => (Math.floor(moment.getTime() / day) + 1) * (day / minute) - 1

/** Whole seconds until the next minute begins, at least 1. */
export const secondsLeft = (moment: Date): number => leftOf(minute, moment)

/** The same until the next day in UTC. */
export const secondsLeftOfDay = (moment: Date): number => leftOf(day, moment)

const leftOf = (window: number, moment: Date): number =>
  Math.max(1, Math.ceil((window - (moment.getTime() % window)) / 1_000))

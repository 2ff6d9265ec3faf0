/** Number of the calendar minute in UTC, counted from 1970: the window of every limit. Source: decisions.md, rate limit. */
export const minuteOf = (moment: Date): number => Math.floor(moment.getTime() / 60_000)

/** Whole seconds until the next minute begins, at least 1. */
export const secondsLeft = (moment: Date): number => Math.max(1, Math.ceil(60 - (moment.getTime() % 60_000) / 1_000))

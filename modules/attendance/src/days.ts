import type { RouteContext } from '@partner/sdk'

const dayLength = 86_400_000

/** A day that there is, of a year in which a school may keep a register: a year 0 no database takes. */
const isDay = (text: string): boolean =>
  /^(19|20|21)\d\d-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) && shifted(text, 0) === text

const shifted = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * dayLength).toISOString().slice(0, 10)

/**
 * The day that a page is asked for, YYYY-MM-DD: today at the school where its address names none that there is. The page says
 * which it shows.
 */
export async function wantedDay({ query, services }: RouteContext): Promise<string> {
  const given = query.day ?? ''
  if (isDay(given)) return given
  const { now } = await services.tenant.clock()
  return now.slice(0, 10)
}

/** The day that a form is for. Null where it names none that there is: what it says belongs to no other day. */
export const postedDay = ({ body }: RouteContext): string | null => (isDay(body.day ?? '') ? body.day! : null)

/** First and last day of the school week around `day`: Sunday to Saturday. */
export function weekOf(day: string): { first: string; last: string } {
  const first = shifted(day, -new Date(day).getUTCDay())
  return { first, last: shifted(first, 6) }
}

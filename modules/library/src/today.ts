import type { Context } from '@partner/sdk'

/** Today at the school, YYYY-MM-DD: a book is late by the school's clock, not by the server's. */
export async function todayAtSchool({ services }: Pick<Context, 'services'>): Promise<string> {
  const { now } = await services.tenant.clock()
  return now.slice(0, 10)
}

/** A day that a form names, where it exists, is not in the future and in no year that can only be a mistake; else today. */
export function pastDay(given: string | undefined, today: string): string {
  const time = /^(19|20|21)\d\d-\d\d-\d\d$/.test(given ?? '') ? Date.parse(given!) : Number.NaN
  // 31 February is read as 3 March.
  const exists = !Number.isNaN(time) && new Date(time).toISOString().startsWith(given!)
  return exists && given! <= today ? given! : today
}

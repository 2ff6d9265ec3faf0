import type { Context } from '@partner/sdk'

/** Today at the school, YYYY-MM-DD: a book is late by the school's clock, not by the server's. */
export async function todayAtSchool({ services }: Pick<Context, 'services'>): Promise<string> {
  const { now } = await services.tenant.clock()
  return now.slice(0, 10)
}

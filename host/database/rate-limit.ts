import type { Caller } from '../../partner-services/service/caller.ts'
import { ServiceError } from '../../partner-services/service/errors.ts'
import { minuteOf, secondsLeft } from '../../partner-services/service/minute.ts'
import type { Row, Statement } from './pipeline.ts'

/** Counts the requests of metered callers, each calendar minute anew, exactly over all processes. */
export type RateLimit = {
  /** Refuses where this minute is known to be used up: the count only grows, so the database need not be asked. */
  refuseExhausted(caller: Caller): void
  /** Counts this request. Travels with the request's own statements. */
  statement(caller: Caller): Statement
  /** Notes what `statement` answered on the caller's meter. Throws `rate_limited` above the limit. */
  accept(caller: Caller, rows: Row[] | undefined): void
}

// The table is unlogged: a crash of the database forgets at most the running minute, and a read costs no disk write.
// A host whose clock is behind counts in the later minute.
const count = `insert into core.request_counts as c (tenant_id, installation_id, minute, used) values ($1, $2, $3, 1)
  on conflict (tenant_id, installation_id) do update set minute = greatest(c.minute, excluded.minute),
    used = case when c.minute >= excluded.minute then c.used + 1 else 1 end
  returning used, minute`

/** How many installations are remembered as exhausted; forgetting one costs one question to the database. */
const remembered = 50_000

export function createRateLimit(clock: () => Date): RateLimit {
  const exhausted = new Map<string, number>()
  const refusal = () => new ServiceError('rate_limited', { retryAfter: secondsLeft(clock()) })
  return {
    refuseExhausted({ meter, installation }) {
      if (!meter || (exhausted.get(installation.id) ?? 0) < minuteOf(clock())) return
      meter.used = meter.limit
      throw refusal()
    },
    statement: ({ tenant, installation }) => ({
      text: count,
      values: [tenant.id, installation.id, minuteOf(clock())],
    }),
    accept({ meter, installation }, rows) {
      const { used, minute } = rows![0] as { used: number; minute: number }
      meter!.used = used
      if (used >= meter!.limit) {
        if (exhausted.size >= remembered) exhausted.clear()
        exhausted.set(installation.id, minute)
      }
      if (used > meter!.limit) throw refusal()
    },
  }
}

/** What is known of a webhook: nothing, that somebody is at it, or that it was handled. */
export type Handling = 'new' | 'handling' | 'done'

/**
 * Remembers an app's webhooks by the `id` of their body, which is signed and the same at every retry and replay. Another
 * app needs another: an event has one id for all that are told of it. Several servers behind one address need one that
 * they share, for example this table:
 *
 * ```sql
 * create table webhooks (id text primary key, done boolean not null, until timestamptz not null);
 * -- begin: 'new' where a row comes back; otherwise `select done from webhooks where id = $1` tells the others apart
 * insert into webhooks values ($1, false, now() + interval '1 minute')
 *   on conflict (id) do update set done = false, until = excluded.until where webhooks.until <= now()
 *   returning id;
 * -- done
 * insert into webhooks values ($1, true, now() + interval '20 minutes')
 *   on conflict (id) do update set done = true, until = excluded.until;
 * -- forget
 * delete from webhooks where id = $1;
 * ```
 *
 * Nothing that arrives tells a replay that somebody asked for in the portal from a retry of the platform: both have the
 * ids of the first and a signature of now. So what is done is known for 20 minutes (15 are required) and not for ever:
 * within that time a replay counts as handled, and after it, it is handled anew.
 */
export type DeliveryMemory = {
  /**
   * Answers what is known of a webhook. Where that is `new`, the caller handles it: to everybody else it is `handling` for a
   * minute, six times what a handler may take. After that its server is taken for dead, and it is `new` again.
   */
  begin(id: string): Handling | Promise<Handling>
  /** It was handled. */
  done(id: string): void | Promise<void>
  /** Handling failed: the platform's next attempt is `new`. */
  forget(id: string): void | Promise<void>
}

const leaseTime = 60_000
const memoryTime = 20 * 60_000

/** A memory of this process: enough for a single server, whose retries come back to it. */
export function createDeliveryMemory(clock: () => Date = () => new Date()): DeliveryMemory {
  const known = new Map<string, { done: boolean; until: number }>()
  const note = (id: string, done: boolean): void => {
    // To the end: a map keeps the order of insertion.
    known.delete(id)
    known.set(id, { done, until: clock().getTime() + (done ? memoryTime : leaseTime) })
  }
  return {
    begin(id) {
      const now = clock().getTime()
      for (const [oldest, { until }] of known) {
        if (until > now) break
        known.delete(oldest)
      }
      const found = known.get(id)
      if (found && found.until > now) return found.done ? 'done' : 'handling'
      note(id, false)
      return 'new'
    },
    done: (id) => note(id, true),
    forget: (id) => void known.delete(id),
  }
}

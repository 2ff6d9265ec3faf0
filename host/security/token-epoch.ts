import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { AnsweringClient } from '../database/answering-client.ts'
import { createTenantChanges } from './tenant-changes.ts'

/** What a web process knows of the epoch of tokens, and whether it may answer from memory. */
export type TokenEpoch = {
  /** Now, in changes that this process has heard of; null while it may use no memory, since it could not confirm in time. */
  current(): number | null
  /** When the last change came that concerned this tenant: what was read before may be wrong. */
  changed(tenantId: string): number
  close(): Promise<void>
}

/** How long a confirmation counts, in milliseconds. A process that cannot confirm for so long stops using its memory. */
const lease = 2_000
const beatEvery = 500
/** Where the database falls silent another connection is tried, in milliseconds. */
const beatTimeLimits = { connectionTimeoutMillis: 5_000, answerTimeoutMillis: 5_000 }
/** Of more changes at once nobody looks at whom each concerns. */
const mostChanges = 1_000

const beat = `insert into core.web_processes as p (id, confirmed, alive_until)
  values ($1, $2, clock_timestamp() + $3 * interval '1 millisecond')
  on conflict (id) do update set confirmed = excluded.confirmed, alive_until = excluded.alive_until
  returning (select number from core.token_epoch) as number,
    array(select concerns from core.epoch_changes where number > $2 and $2 >= 0 limit $4) as concerned`

type Beat = { number: string; concerned: (string | null)[] }

/**
 * Follows the epoch: at each notification, and twice a second in case one is lost. First nothing is used any more that a
 * change concerns, then the new epoch is confirmed. The lease ends here no later than in the database, since it is
 * counted from before the confirmation was sent.
 */
export function followTokenEpoch(connection: pg.ClientConfig): TokenEpoch {
  const id = randomUUID()
  const stop = new AbortController()
  const changes = createTenantChanges()
  let known = -1
  let validUntil = 0
  let wake = () => {}

  async function follow(client: pg.Client): Promise<void> {
    await client.query('listen partner_tokens')
    while (!stop.signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve
      })
      const sentAt = performance.now()
      const { rows } = await client.query<Beat>({ name: 'beat', text: beat, values: [id, known, lease, mostChanges] })
      const number = Number(rows[0]!.number)
      const isNew = number !== known
      if (isNew) changes.add(tenantsOf(rows[0]!, number - known))
      known = number
      // Whoever changes something later waits for this process, whatever it has confirmed.
      validUntil = sentAt + lease
      // What it has just heard of is confirmed at once.
      if (isNew) continue
      await Promise.race([woken, sleep(beatEvery, undefined, { signal: stop.signal }).catch(() => {})])
    }
    await client.query('delete from core.web_processes where id = $1', [id])
  }

  async function keepFollowing(): Promise<void> {
    while (!stop.signal.aborted) {
      const client = new AnsweringClient({ ...beatTimeLimits, ...connection })
      client.on('error', () => {})
      client.on('notification', () => wake())
      try {
        await client.connect()
        await follow(client)
      } catch {
        await sleep(beatEvery, undefined, { signal: stop.signal }).catch(() => {})
      } finally {
        await client.end().catch(() => {})
      }
    }
  }

  const ended = keepFollowing()
  return {
    current: () => (performance.now() < validUntil ? changes.count() : null),
    changed: changes.of,
    async close() {
      stop.abort()
      wake()
      await ended
    },
  }
}

/** Null: everybody. So where not every change is told: there were many, or long ago, or the server lost its note of them. */
function tenantsOf({ concerned }: Beat, changes: number): string[] | null {
  const tenants = concerned.filter((tenant) => tenant !== null)
  return tenants.length === changes ? tenants : null
}

/**
 * Resolves once no live web process remembers anything older than what is committed now. Takes as long as the slowest
 * confirmation, and at most the lease of a process that is gone or stuck: that one answers from memory no more.
 */
export async function untilConfirmed(systemPool: pg.Pool): Promise<void> {
  const { rows } = await systemPool.query<{ number: string }>('select number from core.token_epoch')
  const epoch = rows[0]!.number
  for (;;) {
    const { rowCount } = await systemPool.query({
      name: 'unconfirmed',
      text: 'select from core.web_processes where confirmed < $1 and alive_until > clock_timestamp() limit 1',
      values: [epoch],
    })
    if (!rowCount) break
    await sleep(5)
  }
  await systemPool.query(`delete from core.web_processes where alive_until < clock_timestamp() - interval '1 minute'`)
}

/**
 * For a change whose answer must not be lost: a token, which is shown once, or a roll-back, which takes back one more version
 * when it is asked for again. It is committed, though the database goes away meanwhile. A process that could not confirm
 * stops using what it remembers within its lease.
 */
export const confirmedLater = (): void => {}

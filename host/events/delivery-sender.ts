import type pg from 'pg'
import type { Logger } from 'pino'
import type { Cipher } from '../../partner-services/service/ports.ts'
import { type Claimed, claimDeliveries, leaseHolds, refreshClaim } from './claim.ts'
import { noteFailures } from './endpoint-health.ts'
import { envelopeText } from './envelope.ts'
import { openEventData } from './event-data.ts'
import { createReceiverLanes } from './receiver-lanes.ts'
import { type Result, recordResults, releaseClaims, stopDeliveries } from './results.ts'
import { webhookHeaders } from './signature.ts'
import { answerTime, type Outcome, type WebhookClient } from './webhook-client.ts'
import { openWebhookSecret } from './webhook-secret.ts'

export type SenderOptions = {
  /** The system role's pool. */
  pool: pg.Pool
  cipher: Cipher
  clock: () => Date
  /** Milliseconds of a clock that is never put back. */
  passed?: () => number
  logger: Logger
  client: WebhookClient
}

export type DeliverySender = {
  /** Claims what is due and has room. Answers with how many deliveries were taken. */
  claim(): Promise<number>
  /** Writes down what ended since the last time. Keeps it, and rejects, while the database does not answer. */
  flush(): Promise<void>
  /** Attempts under way, and ended ones that are not written down yet. */
  busy(): number
  /** Gives back what was not begun, and writes down what ends soon; what does not is left to its lease. */
  close(): Promise<void>
}

/** A process that is asked to stop has ten seconds: some are left for the rest of its work. */
const closingTime = 7_000
const closingStep = 100

const pause = (milliseconds: number) => new Promise<void>((done) => setTimeout(done, milliseconds))

/** Sends claimed deliveries, each receiver in its own lane. `onMore` is called when it is worth claiming again. */
export function createDeliverySender(options: SenderOptions, onMore: () => void): DeliverySender {
  const { pool, cipher, clock, passed = () => performance.now(), logger, client } = options
  const lanes = createReceiverLanes()
  let ended: Result[] = []
  let closing = false
  const attempts = new Set<Promise<void>>()

  function sendNext(): void {
    for (const delivery of lanes.take()) {
      const attempt: Promise<void> = send(delivery).finally(() => {
        attempts.delete(attempt)
        if (!closing) sendNext()
        onMore()
      })
      attempts.add(attempt)
    }
  }

  async function send(claimed: Claimed): Promise<void> {
    const delivery = await refreshClaim(pool, claimed, passed()).catch(() => null)
    const startedAt = clock()
    // An attempt that could outlast its lease would be made twice: what waited too long is left to its lease's end.
    const begins = delivery && leaseHolds(delivery, { now: startedAt, passed: passed() }, answerTime)
    if (!begins) return lanes.done(claimed.app_id, null)
    const { outcome, sentHeaders } = await attempt(delivery, startedAt)
    ended.push({ delivery, outcome, startedAt, endedAt: clock(), sentHeaders })
    lanes.done(delivery.app_id, outcome.ok)
  }

  async function attempt(
    delivery: Claimed,
    now: Date,
  ): Promise<{ outcome: Outcome; sentHeaders: Record<string, string> }> {
    try {
      const { body, headers } = message(cipher, delivery, now)
      return { outcome: await client.post(delivery.webhook_url, headers, body), sentHeaders: headers }
    } catch (error) {
      logger.error({ err: error, delivery: delivery.id }, 'webhook could not be made')
      const outcome = {
        ok: false,
        status: null,
        error: 'the webhook could not be made',
        isSent: false,
        headers: {},
        body: '',
        durationMs: 0,
      }
      return { outcome, sentHeaders: {} }
    }
  }

  async function flush(): Promise<void> {
    const batch = [...ended]
    if (batch.length === 0) return
    await recordResults(pool, cipher, batch)
    ended = ended.slice(batch.length)
    const failed = batch.filter(({ outcome }) => !outcome.ok).map(({ delivery }) => delivery.app_id)
    if (failed.length === 0) return
    for (const app of await noteFailures(pool, [...new Set(failed)], clock()))
      logger.warn({ app }, 'webhook endpoint paused after five days of failures')
  }

  return {
    async claim() {
      const now = clock()
      // What was answered under a lease that is over would be sent again: it is written down first.
      if (closing || ended.some(({ delivery }) => delivery.leaseUntil <= now.getTime())) return 0
      const { claimed, parked } = await claimDeliveries(pool, now, lanes.slots(), passed())
      const withdrawn = claimed.filter(({ granted }) => !granted)
      lanes.add(claimed.filter(({ granted }) => granted))
      sendNext()
      if (withdrawn.length > 0) await stopDeliveries(pool, withdrawn, clock())
      if (parked > 0) onMore()
      return claimed.length
    },
    flush,
    busy: () => lanes.running() + ended.length,
    async close() {
      closing = true
      const unused = lanes.drop()
      if (unused.length > 0) await releaseClaims(pool, unused)
      const givenUp = Date.now() + closingTime
      // Each answer is written down at once: the slowest receiver must not cost what the others answered.
      while (attempts.size > 0 && Date.now() < givenUp) {
        await flush()
        await Promise.race([...attempts, pause(closingStep)])
      }
      await flush()
    },
  }
}

function message(cipher: Cipher, delivery: Claimed, now: Date): { body: string; headers: Record<string, string> } {
  if (!delivery.webhook_secret_encrypted) throw new Error('the app has no webhook secret')
  const secret = openWebhookSecret(cipher, delivery.app_id, delivery.webhook_secret_encrypted)
  const body = envelopeText({
    id: delivery.event_id,
    name: delivery.event,
    tenantNumber: delivery.tenant_number,
    createdAt: delivery.created_at,
    data: openEventData(cipher, delivery.tenant_id, delivery.event_id, delivery.data_encrypted),
  })
  return { body, headers: webhookHeaders(secret, now, { deliveryId: delivery.id, event: delivery.event, body }) }
}

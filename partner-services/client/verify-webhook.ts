import { createHmac, timingSafeEqual } from 'node:crypto'
import type { DeliveryMemory } from './delivery-memory.ts'

/** A webhook's body. `data` depends on the event, for example `{student: {…}}`. */
export type Webhook = {
  /** UUID of the event: the same at every retry and replay, and signed, which the header with the delivery's id is not. */
  id: string
  event: string
  tenant_id: number
  created_at: string
  data: Record<string, unknown>
}

export type WebhookHeaders = Readonly<Record<string, string | string[] | undefined>>

/** Why a webhook was refused. `replayed`: it was handled before. `handling`: somebody is at it. */
export type RefusalReason =
  | 'incomplete'
  | 'outside_tolerance'
  | 'wrong_signature'
  | 'malformed'
  | 'wrong_event'
  | 'replayed'
  | 'handling'

export class WebhookRefusedError extends Error {
  override name = 'WebhookRefusedError'
  readonly reason: RefusalReason
  constructor(reason: RefusalReason) {
    super(`webhook refused: ${reason}`)
    this.reason = reason
  }
  /** What to answer with. After 503 the platform tries again. */
  get status(): 200 | 401 | 503 {
    if (this.reason === 'replayed') return 200
    return this.reason === 'handling' ? 503 : 401
  }
}

/** Source: specification, receiver rule 1. */
const defaultTolerance = 5 * 60

export type VerifyOptions = {
  secret: string
  headers: WebhookHeaders
  /** The body exactly as received: parsing and writing it again changes the signature. */
  rawBody: string | Uint8Array
  toleranceSeconds?: number
  /** Begins the webhook in this memory: say how it ended, with `seen.done(webhook.id)` or `seen.forget(webhook.id)`. */
  seen?: DeliveryMemory
  clock?: () => Date
}

/** The webhook, if it is genuine, fresh and new. Throws WebhookRefusedError otherwise. */
export async function verifyWebhook(options: VerifyOptions): Promise<Webhook> {
  const { secret, headers, rawBody, toleranceSeconds = defaultTolerance, seen, clock = () => new Date() } = options
  const timestamp = one(headers, 'x-platform-timestamp')
  const signature = one(headers, 'x-platform-signature')
  const event = one(headers, 'x-platform-event')
  if (!/^\d{1,12}$/.test(timestamp) || signature === '' || event === '') throw new WebhookRefusedError('incomplete')
  const body = typeof rawBody === 'string' ? Buffer.from(rawBody) : rawBody
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest()
  const given = Buffer.from(signature, 'hex')
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw new WebhookRefusedError('wrong_signature')
  if (Math.abs(clock().getTime() / 1_000 - Number(timestamp)) > toleranceSeconds)
    throw new WebhookRefusedError('outside_tolerance')
  const webhook = parse(body)
  if (webhook.event !== event) throw new WebhookRefusedError('wrong_event')
  const handling = seen ? await seen.begin(webhook.id) : 'new'
  if (handling !== 'new') throw new WebhookRefusedError(handling === 'done' ? 'replayed' : 'handling')
  return webhook
}

function parse(body: Uint8Array): Webhook {
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(body).toString())
  } catch {
    throw new WebhookRefusedError('malformed')
  }
  if (!isWebhook(value)) throw new WebhookRefusedError('malformed')
  return value
}

function isWebhook(value: unknown): value is Webhook {
  const { id, event } = (value ?? {}) as Partial<Webhook>
  return typeof id === 'string' && id !== '' && typeof event === 'string'
}

/** The header's one value; nothing where it is missing or given twice. Names are looked up in any case. */
function one(headers: WebhookHeaders, name: string): string {
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return typeof found === 'string' ? found : ''
}

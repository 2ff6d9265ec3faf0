import { createHmac, timingSafeEqual } from 'node:crypto'

/** A webhook's body. `data` depends on the event, for example `{student: {…}}`. */
export type Webhook = {
  id: string
  event: string
  tenant_id: number
  created_at: string
  data: Record<string, unknown>
}

export type WebhookHeaders = Readonly<Record<string, string | string[] | undefined>>

/** Why a webhook was refused. Answer 401 to every reason but `replayed`, which was received before: answer 200. */
export type RefusalReason = 'incomplete' | 'outside_tolerance' | 'wrong_signature' | 'replayed' | 'malformed'

export class WebhookRefusedError extends Error {
  override name = 'WebhookRefusedError'
  readonly reason: RefusalReason
  constructor(reason: RefusalReason) {
    super(`webhook refused: ${reason}`)
    this.reason = reason
  }
  get status(): 200 | 401 {
    return this.reason === 'replayed' ? 200 : 401
  }
}

/** Remembers delivery ids. Yours may be a table that several servers share. */
export type DeliveryMemory = {
  /** True where the id is new; from then on it is known. */
  remember(deliveryId: string): boolean | Promise<boolean>
  /** Forgets an id whose handling failed, so that the platform's next attempt is handled. */
  forget(deliveryId: string): void | Promise<void>
}

/** Source: specification, receiver rules 1 and 2. */
const defaultTolerance = 5 * 60
const memoryTime = 20 * 60 * 1_000

/** A memory of this process: ids are known for 20 minutes (15 are required). */
export function createDeliveryMemory(clock: () => Date = () => new Date()): DeliveryMemory {
  const seen = new Map<string, number>()
  return {
    remember(deliveryId) {
      const now = clock().getTime()
      // Oldest first: a map keeps the order of insertion.
      for (const [id, at] of seen) {
        if (at > now - memoryTime) break
        seen.delete(id)
      }
      if (seen.has(deliveryId)) return false
      seen.set(deliveryId, now)
      return true
    },
    forget: (deliveryId) => void seen.delete(deliveryId),
  }
}

export type VerifyOptions = {
  secret: string
  headers: WebhookHeaders
  /** The body exactly as received: parsing and writing it again changes the signature. */
  rawBody: string | Uint8Array
  toleranceSeconds?: number
  seen?: DeliveryMemory
  clock?: () => Date
}

/** The webhook, if it is genuine, fresh and new. Throws WebhookRefusedError otherwise. */
export async function verifyWebhook(options: VerifyOptions): Promise<Webhook> {
  const { secret, headers, rawBody, toleranceSeconds = defaultTolerance, seen, clock = () => new Date() } = options
  const timestamp = one(headers, 'x-platform-timestamp')
  const signature = one(headers, 'x-platform-signature')
  const deliveryId = one(headers, 'x-platform-delivery-id')
  if (!/^\d{1,12}$/.test(timestamp) || signature === '' || deliveryId === '')
    throw new WebhookRefusedError('incomplete')
  const body = typeof rawBody === 'string' ? Buffer.from(rawBody) : rawBody
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest()
  const given = Buffer.from(signature, 'hex')
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw new WebhookRefusedError('wrong_signature')
  if (Math.abs(clock().getTime() / 1_000 - Number(timestamp)) > toleranceSeconds)
    throw new WebhookRefusedError('outside_tolerance')
  const webhook = parse(body)
  if (seen && !(await seen.remember(deliveryId))) throw new WebhookRefusedError('replayed')
  return webhook
}

function parse(body: Uint8Array): Webhook {
  try {
    return JSON.parse(Buffer.from(body).toString()) as Webhook
  } catch {
    throw new WebhookRefusedError('malformed')
  }
}

/** The header's one value; nothing where it is missing or given twice. Names are looked up in any case. */
export function one(headers: WebhookHeaders, name: string): string {
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return typeof found === 'string' ? found : ''
}

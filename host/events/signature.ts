import { createHmac } from 'node:crypto'

/** Hex HMAC-SHA256 over `<timestamp>.<raw body>`. Source: specification, webhook delivery. */
export function signWebhook(secret: string, timestamp: string, body: string): string {
  return createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
}

export type WebhookMessage = { deliveryId: string; event: string; body: string }

/** The headers of one attempt: signed anew each time, under the delivery's lasting id. */
export function webhookHeaders(secret: string, now: Date, message: WebhookMessage): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1_000))
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'partner-runtime',
    'X-Platform-Event': message.event,
    'X-Platform-Delivery-Id': message.deliveryId,
    'X-Platform-Timestamp': timestamp,
    'X-Platform-Signature': signWebhook(secret, timestamp, message.body),
  }
}

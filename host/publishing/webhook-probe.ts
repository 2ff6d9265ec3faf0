import { createHmac, randomUUID } from 'node:crypto'
import type { AppRecord, Db } from '../lifecycle/records.ts'
import type { WebhookProbe } from '../lifecycle/report.ts'

/** Calls public addresses only, checked at connection time; follows no redirect, waits ten seconds at most. */
export type WebhookPoster = (
  url: string,
  headers: Record<string, string>,
  body: string,
) => Promise<{ ok: boolean; status: number | null; error: string | null; durationMs: number }>

export type ProbeOptions = {
  system: Db
  post: WebhookPoster
  /** Opens an app's sealed webhook secret. */
  openSecret: (appId: string, sealed: Buffer) => string
  clock: () => Date
}

const event = 'partner.webhook.ping'

/** Sends what a real delivery looks like, signed with the app's secret, so that a receiver's checks are tried as well. */
export function createWebhookProbe({ system, post, openSecret, clock }: ProbeOptions) {
  return async (app: Pick<AppRecord, 'id'>, url: string): Promise<WebhookProbe> => {
    const { rows } = await system.query<{ sealed: Buffer | null }>(
      'select webhook_secret_encrypted as sealed from core.apps where id = $1',
      [app.id],
    )
    const sealed = rows[0]?.sealed
    if (!sealed) return { url, ok: false, status: null, error: 'the app has no webhook secret yet', duration_ms: 0 }
    const now = clock()
    const body = JSON.stringify({ id: randomUUID(), event, tenant_id: 0, created_at: now.toISOString(), data: {} })
    const { ok, status, error, durationMs } = await post(url, headersOf(openSecret(app.id, sealed), now, body), body)
    return { url, ok, status, error, duration_ms: durationMs }
  }
}

/** Source: specification, webhook delivery. */
function headersOf(secret: string, now: Date, body: string): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1_000))
  return {
    'Content-Type': 'application/json',
    'X-Platform-Event': event,
    'X-Platform-Delivery-Id': randomUUID(),
    'X-Platform-Timestamp': timestamp,
    'X-Platform-Signature': createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex'),
  }
}

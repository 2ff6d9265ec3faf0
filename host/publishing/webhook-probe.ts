import { webhookPing } from '../../partner-services/service/event-names.ts'
import { envelopeText } from '../events/envelope.ts'
import { webhookHeaders } from '../events/signature.ts'
import { uuid7 } from '../events/uuid7.ts'
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

const noSecret = 'the app has no webhook secret yet: partner credentials <slug> makes one'

/** Sends what a real delivery looks like, signed with the app's secret, so that a receiver's checks are tried as well. */
export function createWebhookProbe({ system, post, openSecret, clock }: ProbeOptions) {
  return async (app: Pick<AppRecord, 'id'>, url: string): Promise<WebhookProbe> => {
    const { rows } = await system.query<{ sealed: Buffer | null }>(
      'select webhook_secret_encrypted as sealed from core.apps where id = $1',
      [app.id],
    )
    const sealed = rows[0]?.sealed
    if (!sealed) return { url, ok: false, status: null, error: noSecret, duration_ms: 0 }
    const now = clock()
    const [id, deliveryId] = [uuid7(now), uuid7(now)]
    // No school is concerned: tenants are numbered from 1.
    const body = envelopeText({ id, name: webhookPing, tenantNumber: 0, createdAt: now.toISOString(), data: '{}' })
    const headers = webhookHeaders(openSecret(app.id, sealed), now, { deliveryId, event: webhookPing, body })
    const { ok, status, error, durationMs } = await post(url, headers, body)
    return { url, ok, status, error, duration_ms: durationMs }
  }
}

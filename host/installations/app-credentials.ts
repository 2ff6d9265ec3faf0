import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type pg from 'pg'
import { ulid } from 'ulid'
import { NotFoundException } from '../../partner-services/service/errors.ts'
import type { Cipher } from '../../partner-services/service/ports.ts'
import { newWebhookSecret, sealWebhookSecret } from '../events/webhook-secret.ts'

/** Shown once: of the client secret only a hash is kept, the webhook secret is sealed. */
export type AppCredentials = { client_id: string; client_secret: string; webhook_secret: string }

// 256 random bits need no slow hash: nobody can guess them.
const hashSecret = (secret: string) => createHash('sha256').update(secret).digest()

/** New secrets of an app; the client id stays. The old ones stop working at once. */
export async function issueAppCredentials(pool: pg.Pool, cipher: Cipher, appId: string): Promise<AppCredentials> {
  const clientSecret = `pcs_${randomBytes(32).toString('base64url')}`
  const webhookSecret = newWebhookSecret()
  const { rows } = await pool.query<{ client_id: string }>(
    `update core.apps set client_id = coalesce(client_id, $2), client_secret_hash = $3, webhook_secret_encrypted = $4
      where id = $1 returning client_id`,
    [appId, `app_${ulid().toLowerCase()}`, hashSecret(clientSecret), sealWebhookSecret(cipher, appId, webhookSecret)],
  )
  if (!rows[0]) throw new NotFoundException()
  return { client_id: rows[0].client_id, client_secret: clientSecret, webhook_secret: webhookSecret }
}

const noSecret = Buffer.alloc(32)

/** The app that these credentials belong to; null otherwise. Takes the same time whether the client exists or not. */
export async function authenticateClient(pool: pg.Pool, clientId: string, secret: string): Promise<string | null> {
  const { rows } = await pool.query<{ id: string; client_secret_hash: Buffer | null }>(
    'select id, client_secret_hash from core.apps where client_id = $1 and disabled_reason is null',
    [clientId],
  )
  const stored = rows[0]?.client_secret_hash ?? noSecret
  const right = timingSafeEqual(hashSecret(secret), stored)
  return right && rows[0] ? rows[0].id : null
}

import { randomBytes } from 'node:crypto'
import type { Cipher } from '../../partner-services/service/ports.ts'

/** One secret for each app, sealed under the app, since it belongs to no tenant. Source: decisions.md, tokens. */
const ownerOf = (appId: string) => `app:${appId}`
const field = 'webhook_secret'

/** Begins with `whsec_` so that scanners can find leaks; 256 random bits follow. */
export const newWebhookSecret = (): string => `whsec_${randomBytes(32).toString('base64url')}`

export const sealWebhookSecret = (cipher: Cipher, appId: string, secret: string): Buffer =>
  cipher.encrypt(ownerOf(appId), field, Buffer.from(secret))

export const openWebhookSecret = (cipher: Cipher, appId: string, sealed: Buffer): string =>
  cipher.decrypt(ownerOf(appId), field, sealed).toString()

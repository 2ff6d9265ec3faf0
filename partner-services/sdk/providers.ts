import type { Context } from './context.ts'

export type NotificationPayload = {
  channel: string
  recipient: string
  message: string
  title?: string
  metadata?: Record<string, unknown>
}

export type SendResult = { ok: true; providerId: string } | { ok: false; error: string; retryable?: boolean }

/** Delivers the school's notifications over a channel of its own. */
export type NotificationProvider = {
  send(context: Context & { payload: NotificationPayload }): Promise<SendResult> | SendResult
  supports(channel: string): boolean
  isConfigured(context: Context): Promise<boolean> | boolean
}

export type Charge = {
  /** In the currency's smallest unit. */
  amount_minor: number
  /** ISO 4217. */
  currency: string
  reference: string
  description: string
  customer: { name: string; phone?: string; email?: string }
  return_url?: string
  metadata?: Record<string, unknown>
  /** The same key never charges twice. */
  idempotency_key: string
}

export type ChargeResult = {
  status: 'succeeded' | 'pending' | 'requires_action' | 'failed'
  provider_reference: string
  redirect_url?: string
  failure_code?: string
  failure_message?: string
}

export type Refund = { provider_reference: string; amount_minor?: number }

/** Takes the school's payments. */
export type PaymentProvider = {
  charge(context: Context & { charge: Charge }): Promise<ChargeResult> | ChargeResult
  refund(context: Context & { refund: Refund }): Promise<ChargeResult> | ChargeResult
  supports(currency: string): boolean
  isConfigured(context: Context): Promise<boolean> | boolean
}

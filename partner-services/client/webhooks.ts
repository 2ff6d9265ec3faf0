export { createDeliveryMemory, type DeliveryMemory, type Handling } from './delivery-memory.ts'
export {
  type RefusalReason,
  type VerifyOptions,
  verifyWebhook,
  type Webhook,
  type WebhookHeaders,
  WebhookRefusedError,
} from './verify-webhook.ts'
export {
  createWebhookListener,
  type FastifyLike,
  type HandlerOptions,
  registerWebhookRoute,
  type WebhookListener,
} from './webhook-handlers.ts'

import { z } from 'zod'
import { className, componentAlias, httpsUrl } from './fields.ts'
import { unique } from './unique.ts'

const delivery = z.enum(['api', 'embedded', 'hybrid'])
const embedded = z.strictObject({ provider_class: className })

/** `api` and `hybrid` need the address, `embedded` and `hybrid` the class. */
function needsItsPaths(context: z.core.ParsePayload<{ delivery: string; api?: unknown; embedded?: unknown }>): void {
  const { delivery: mode, api, embedded: own } = context.value
  if (mode !== 'embedded' && !api)
    context.issues.push({ code: 'custom', path: ['api'], message: `delivery ${mode} needs the api block`, input: api })
  if (mode !== 'api' && !own)
    context.issues.push({
      code: 'custom',
      path: ['embedded'],
      message: `delivery ${mode} needs the embedded block`,
      input: own,
    })
}

export const channels = ['whatsapp', 'sms', 'push', 'slack', 'email', 'telegram', 'voice'] as const

export const notificationProvider = z
  .strictObject({
    channels: z
      .array(z.enum(channels))
      .min(1)
      .check(unique((channel) => channel)),
    delivery,
    api: z.strictObject({ send_endpoint: httpsUrl, auth: z.literal('hmac') }).optional(),
    embedded: embedded.optional(),
    capabilities: z
      .strictObject({
        supports_templates: z.boolean().optional(),
        supports_media: z.boolean().optional(),
        supports_bulk: z.boolean().optional(),
        max_bulk_recipients: z.int().min(1).optional(),
      })
      .optional(),
    settings_ui: z
      .strictObject({ has_settings_page: z.boolean(), livewire_component: componentAlias.optional() })
      .optional(),
  })
  .check(needsItsPaths)

export const paymentProvider = z
  .strictObject({
    currencies: z
      .array(z.string().regex(/^[A-Z]{3}$/, 'an ISO 4217 code such as SAR'))
      .min(1)
      .check(unique((code) => code)),
    delivery,
    api: z
      .strictObject({
        charge_endpoint: httpsUrl,
        refund_endpoint: httpsUrl,
        status_endpoint: httpsUrl,
        auth: z.literal('hmac'),
      })
      .optional(),
    embedded: embedded.optional(),
  })
  .check(needsItsPaths)

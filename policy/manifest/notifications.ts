import { z } from 'zod'
import { bilingual, multilineText, text } from './fields.ts'
import { unique } from './unique.ts'

export const notification = z.strictObject({
  key: z
    .string()
    .max(160)
    .regex(
      /^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*){2,}$/,
      '<app-slug>.<dot.path> in lowercase snake_case, three parts or more',
    ),
  display_name: bilingual(120),
  description: z
    .strictObject({ ar: multilineText(0, 1000).optional(), en: multilineText(0, 1000).optional() })
    .optional(),
  variables: z.record(z.string().regex(/^[a-z][a-z0-9_]*$/, 'a lowercase name'), text(1, 40)).default({}),
  default_channels: z
    .array(z.enum(['email', 'sms', 'whatsapp', 'push', 'in_app', 'webhook_out']))
    .check(unique((channel) => channel))
    .default([]),
  severity: z.enum(['info', 'warning', 'critical']).default('info'),
  is_active: z.boolean().default(true),
})

export const notificationCatalog = z
  .array(notification)
  .max(200)
  .check(unique((entry) => entry.key))

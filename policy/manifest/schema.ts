import { z } from 'zod'
import { accountTypes } from './audience.ts'
import { eventName, host, httpsUrl, multilineText, scopeKey, slug, text, webhookUrl } from './fields.ts'
import { mobileService } from './mobile.ts'
import { notificationCatalog } from './notifications.ts'
import { notificationProvider, paymentProvider } from './providers.ts'
import { settingsSchema } from './settings.ts'
import { studentProfile } from './student-profile.ts'
import { unique } from './unique.ts'
import { landingWidgets } from './widgets.ts'

const requestedScope = z.strictObject({
  key: scopeKey,
  required: z.boolean().default(true),
  reason: multilineText(1, 500),
})

const external = z.strictObject({
  webhookUrl: webhookUrl.optional(),
  webhookEvents: z
    .array(eventName)
    .max(100)
    .check(unique((event) => event))
    .default([]),
  redirectUrls: z
    .array(httpsUrl)
    .max(20)
    .check(unique((url) => url))
    .default([]),
})

const egress = z.strictObject({
  host,
  methods: z
    .array(z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']))
    .min(1)
    .check(unique((method) => method)),
  purpose: multilineText(10, 300),
  personal_data: z.boolean(),
})

const migration = z.strictObject({ version: z.string().regex(/^\d{4}_\d{2}_\d{2}_\d{6}$/), name: text(1, 200) })

/** The form of a manifest, field by field. What needs the catalog, or two blocks at once, is in `cross-checks.ts`. */
export const manifestSchema = z.strictObject({
  $schema: z.string().optional(),
  moduleId: slug,
  displayName: z.union([text(1, 120), z.strictObject({ ar: text(1, 120), en: text(1, 120) })]),
  version: z.string().regex(/^\d{1,5}\.\d{1,5}\.\d{1,5}(-[0-9A-Za-z.-]{1,40})?$/, 'a version such as 1.4.0'),
  category: text(1, 60),
  description: multilineText(1, 2000),
  integrationType: z.enum(['embedded', 'external', 'notification', 'payment']),
  scopes: z
    .array(requestedScope)
    .max(100)
    .check(unique((scope) => scope.key))
    .default([]),
  external: external.optional(),
  notification: notificationProvider.optional(),
  payment: paymentProvider.optional(),
  notifications: notificationCatalog.default([]),
  account_types: accountTypes.optional(),
  studentProfile: studentProfile.optional(),
  landing_widgets: landingWidgets.optional(),
  mobile: mobileService.optional(),
  settings_schema: settingsSchema.optional(),
  egress: z
    .array(egress)
    .max(20)
    .check(unique((entry) => entry.host))
    .default([]),
  requiresDatabase: z.boolean().optional(),
  migrations: z.array(migration).optional(),
  aiSupport: z.boolean().default(false),
  aiMode: z.enum(['own', 'platform']).optional(),
})

export type Manifest = z.output<typeof manifestSchema>

/** The manifest's JSON Schema, for editors: completion and the same refusals while typing. */
export function manifestJsonSchema(): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(manifestSchema, { io: 'input', unrepresentable: 'any', target: 'draft-2020-12' })
}

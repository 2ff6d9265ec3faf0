import { z } from 'zod'
import { componentAlias, httpsUrl, multilineText, scopeKey, sign, text } from './fields.ts'
import { settingsSchema } from './settings.ts'
import { unique } from './unique.ts'

const readScope = scopeKey.refine((key) => key.endsWith('.read'), 'a scope ending in .read')
const writeScope = scopeKey.refine((key) => key.endsWith('.write'), 'a scope ending in .write')

export const landingWidget = z
  .strictObject({
    key: z
      .string()
      .regex(/^[a-z][a-z0-9_]{1,39}$/, 'lowercase letters, digits and underscores, 2 to 40, a letter first'),
    label: text(2, 60),
    label_en: text(2, 60).optional(),
    description: multilineText(0, 300).optional(),
    description_en: multilineText(0, 300).optional(),
    icon: sign(40).default('puzzle'),
    category: z.enum(['hero', 'content', 'media', 'conversion', 'layout']).default('conversion'),
    livewire_component: componentAlias,
    interaction: z.enum(['static', 'interactive']).default('static'),
    scopes: z
      .array(readScope)
      .max(20)
      .check(unique((key) => key))
      .default([]),
    public_writes: z
      .array(writeScope)
      .max(10)
      .check(unique((key) => key))
      .default([]),
    cache_ttl: z.int().min(0).max(86_400).default(300),
    settings_schema: settingsSchema.optional(),
    preview: z.strictObject({ thumbnail_url: httpsUrl.optional() }).optional(),
  })
  .check((context) => {
    const { interaction, public_writes: writes } = context.value
    if (interaction === 'interactive' || writes.length === 0) return
    context.issues.push({
      code: 'custom',
      path: ['interaction'],
      message: 'a widget with public_writes must be interactive',
      input: interaction,
    })
  })

export const landingWidgets = z
  .array(landingWidget)
  .max(10)
  .check(unique((widget) => widget.key))

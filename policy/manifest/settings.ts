import { z } from 'zod'
import { multilineText, sign, text } from './fields.ts'
import { unique } from './unique.ts'

const shared = {
  key: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,39}$/, 'lowercase letters, digits and underscores, at most 40, a letter first'),
  label: text(1, 120),
  label_en: text(1, 120).optional(),
  localized: z.boolean().optional(),
  help: multilineText(0, 300).optional(),
  help_en: multilineText(0, 300).optional(),
  required: z.boolean().optional(),
  secret: z.boolean().optional(),
  options_endpoint: z.undefined('options_endpoint is reserved and refused').optional(),
}
const bounds = { min: z.number().optional(), max: z.number().optional() }
/** `min` and `max` mean nothing on the other types: taken, and dropped below. */
const dropped = { min: z.unknown().optional(), max: z.unknown().optional() }

const option = z.strictObject({ value: sign(120), label: sign(120), label_en: sign(120).optional() })

const lengthBound = z.strictObject({
  ...shared,
  ...bounds,
  type: z.enum(['text', 'textarea']),
  default: z.string().optional(),
})
const number = z.strictObject({ ...shared, ...bounds, type: z.literal('number'), default: z.number().optional() })
const toggle = z.strictObject({ ...shared, ...dropped, type: z.literal('toggle'), default: z.boolean().optional() })
const color = z.strictObject({
  ...shared,
  ...dropped,
  type: z.literal('color'),
  default: z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/, 'a colour such as #1a7f37')
    .optional(),
})
const address = z.strictObject({
  ...shared,
  ...dropped,
  type: z.enum(['image', 'link']),
  default: z
    .string()
    .max(2048)
    .regex(/^(https:\/\/|\/(?!\/)|#|$)/, 'an HTTPS address or a path')
    .optional(),
})
const select = z
  .strictObject({
    ...shared,
    ...dropped,
    type: z.literal('select'),
    default: z.string().optional(),
    options: z
      .array(option)
      .min(1)
      .max(50)
      .check(unique((entry) => entry.value)),
  })
  .check((context) => {
    const { default: chosen, options } = context.value
    if (chosen === undefined || options.some((entry) => entry.value === chosen)) return
    context.issues.push({
      code: 'custom',
      path: ['default'],
      message: 'the default must be one of the options',
      input: chosen,
    })
  })

/** The eight field types. `html` is refused: a setting is data, never markup. */
export const settingsField = z
  .discriminatedUnion('type', [lengthBound, number, toggle, select, color, address])
  .check((context) => {
    const field = context.value
    if (field.type !== 'text' && field.type !== 'textarea' && field.type !== 'number') return
    const { min, max, default: chosen } = field
    if (min !== undefined && max !== undefined && min > max) {
      context.issues.push({ code: 'custom', path: ['min'], message: 'min must not be greater than max', input: min })
    }
    const size = typeof chosen === 'string' ? [...chosen].length : chosen
    if (size !== undefined && ((min !== undefined && size < min) || (max !== undefined && size > max))) {
      context.issues.push({
        code: 'custom',
        path: ['default'],
        message: 'the default lies outside min and max',
        input: chosen,
      })
    }
  })
  .transform((field) => {
    if (field.type === 'text' || field.type === 'textarea' || field.type === 'number') return field
    const { min: _min, max: _max, ...rest } = field
    return rest
  })

export const settingsSchema = z.strictObject({
  fields: z
    .array(settingsField)
    .max(20)
    .check(unique((field) => field.key)),
})

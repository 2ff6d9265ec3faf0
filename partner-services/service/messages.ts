import { z } from 'zod'
import type { Locale } from './errors.ts'

/** What is wrong with a field, where zod's own words would not help. */
const fieldMessages = {
  ulid: { en: 'must be a ULID of 26 characters', ar: 'يجب أن يكون معرف ULID من 26 حرفا' },
  storable: { en: 'must be text without NUL or broken characters', ar: 'يجب أن يكون نصا سليما' },
  day: { en: 'must be a day, YYYY-MM-DD', ar: 'يجب أن يكون تاريخا بالصيغة YYYY-MM-DD' },
  phone: { en: 'must be a phone number with its country code', ar: 'يجب أن يكون رقم هاتف مع رمز الدولة' },
  field: { en: 'must be a text, a number or a list of these', ar: 'يجب أن يكون نصا أو رقما أو قائمة منهما' },
  unknown_record: { en: 'no such record', ar: 'لا يوجد سجل بهذا المعرف' },
} as const

type FieldMessage = keyof typeof fieldMessages

export const fieldMessage = (name: FieldMessage, locale: Locale): string => fieldMessages[name][locale]

/** Names the message of a check of a schema: `.refine(isStorable, named('storable'))`. The caller's language is chosen later. */
export const named = (name: FieldMessage) => ({ message: name })

const locales = { en: z.locales.en().localeError, ar: z.locales.ar().localeError }

/** The messages of a refused input by field, in the caller's language. */
export function messagesByField(error: z.ZodError, locale: Locale): Record<string, string[]> {
  const fields: Record<string, string[]> = Object.create(null)
  for (const issue of error.issues) {
    const field = issue.path.join('.') || 'body'
    fields[field] = [...(fields[field] ?? []), translated(issue.message, locale)]
  }
  return fields
}

/** For `safeParse`: zod's own messages in the caller's language. */
export const errorMapOf = (locale: Locale) => ({ error: locales[locale] })

const translated = (message: string, locale: Locale): string =>
  Object.hasOwn(fieldMessages, message) ? fieldMessages[message as FieldMessage][locale] : message

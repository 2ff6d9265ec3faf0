import { z } from 'zod'
import type { Locale } from './errors.ts'

/** What is wrong with a field, where zod's own words would not help. */
const fieldMessages = {
  ulid: { en: 'must be a ULID of 26 characters', ar: 'يجب أن يكون معرف ULID من 26 حرفا' },
  storable: { en: 'must be text without NUL or broken characters', ar: 'يجب أن يكون نصا سليما' },
  visible: { en: 'must hold a character that can be seen', ar: 'يجب أن يحتوي على حرف ظاهر' },
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

/** So many wrong fields are told, and a name or a message up to so many characters: both may come from what was sent. */
const mostTold = 100
const longestTold = 1_000

const moreAreWrong = (count: number, locale: Locale): string =>
  locale === 'ar' ? `و${count} أخرى غير صحيحة` : `${count} more are wrong`

/** The messages of a refused input by field, in the caller's language: the first hundred, and how many more there are. */
export const messagesByField = (error: z.ZodError, locale: Locale): Record<string, string[]> =>
  toldByField(
    error.issues.map(({ path, message }) => ({ field: path.join('.'), message: translated(message, locale) })),
    locale,
  )

/** `field`: empty where it is the body as a whole. `total`: how many there are, of which `wrong` are the first. */
export function toldByField(
  wrong: readonly { field: string; message: string }[],
  locale: Locale,
  total = wrong.length,
): Record<string, string[]> {
  const fields: Record<string, string[]> = Object.create(null)
  const tell = (name: string, message: string) => {
    const field = cut(name) || 'body'
    fields[field] = [...(fields[field] ?? []), cut(message)]
  }
  for (const { field, message } of wrong.slice(0, mostTold)) tell(field, message)
  if (total > mostTold) tell('', moreAreWrong(total - mostTold, locale))
  return fields
}

const cut = (text: string): string =>
  text.length > longestTold ? `${text.slice(0, longestTold).toWellFormed()}…` : text

/** For `safeParse`: zod's own messages in the caller's language. */
export const errorMapOf = (locale: Locale) => ({ error: locales[locale] })

const translated = (message: string, locale: Locale): string =>
  Object.hasOwn(fieldMessages, message) ? fieldMessages[message as FieldMessage][locale] : message

import { parsePhoneNumberFromString } from 'libphonenumber-js/min'
import { z } from 'zod'
import { named } from './messages.ts'

const crockford = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/i

/** A record's id: 26 characters of Crockford's base 32, taken in either case, kept in upper case. */
export const ulid = z
  .string()
  .regex(crockford, named('ulid'))
  .transform((text) => text.toUpperCase())
  .meta({ id: 'Ulid', description: 'ULID, 26 characters', example: '01J9ZK3V7Q8R2M4T6W8Y0A1B2C' })

export const isUlid = (text: string): boolean => crockford.test(text)

// NUL cannot be stored by PostgreSQL; a lone surrogate is no text in UTF-8.
export const isStorable = (text: string) => !text.includes('\0') && text.isWellFormed()

/** The same for every text of a JSON value; well-formed JSON writes what is not storable as an escape. */
export const isStorableJson = (value: unknown) =>
  !/\\u(0000|d[89a-f])/.test(JSON.stringify(value).replaceAll('\\\\', ''))

/** What people see nothing of: spaces, controls, fillers, marks of direction; the empty Braille cell is called a symbol. */
const isBlank = (text: string) => !/[^\s\p{C}\p{Default_Ignorable_Code_Point}\u2800]/u.test(text)

/** Text as given, NFC-normalised, of 1 to `max` characters as it is kept, of which one can be seen. */
export const text = (max = 255) =>
  z
    .string()
    .normalize('NFC')
    .min(1, { abort: true })
    .max(max)
    .refine(isStorable, { ...named('storable'), abort: true })
    .refine((value) => !isBlank(value), named('visible'))

/** A form sends what nobody filled in as a blank text, a program as null: it counts as not sent. */
export const mayBeUnfilled = <Field extends z.ZodType>(field: Field) =>
  z.preprocess(
    (value) => (value === null || (typeof value === 'string' && value.trim() === '') ? undefined : value),
    field.nullable().optional(),
  )

/** A day that exists, YYYY-MM-DD. PostgreSQL has no year 0. */
export const day = z.iso
  .date()
  .refine((value) => !value.startsWith('0000'), named('day'))
  .meta({ example: '2026-09-01' })

/** A moment in UTC with milliseconds. */
export const instant = z.iso.datetime().meta({ example: '2026-11-21T07:00:00.000Z' })

export const email = z.email().max(255).meta({ example: 'ali@example.org' })

/** As in 123 4567/8 or 123 4567 (68): it would be read as more digits of the one number, as what is longer may be: +43 1/58858. */
const anotherEnding = /[/([]\s*\p{Nd}{1,3}\P{Nd}*$/u

/**
 * A phone number of any country, with its calling code and as many digits as numbers have there; Arabic-Indic ones are taken.
 * Whether that range is in use is not asked: it changes while we run. Kept as E.164, which has no place for an extension,
 * another ending or words: what would be lost is refused. Source: specification, guardian.
 */
export const phone = z
  .string()
  .max(64)
  .transform((value, context) => {
    const number = parsePhoneNumberFromString(value)
    const holdsMore = number?.ext || /\p{L}/u.test(value) || anotherEnding.test(value.normalize('NFKC'))
    if (number?.isPossible() && !holdsMore) return number.number as string
    context.addIssue({ code: 'custom', ...named('phone') })
    return z.NEVER
  })
  .meta({ description: 'E.164', example: '+966501234567' })

/** What a PostgreSQL integer holds. */
export const smallInteger = z.int().min(-2_147_483_648).max(2_147_483_647).meta({ example: 1 })

/** An integer that may come as text, as in a query. */
export const integerText = (minimum: number, maximum: number) => z.coerce.number().int().min(minimum).max(maximum)

export const pageSize = (fallback: number) =>
  integerText(1, 100)
    .default(fallback)
    .meta({ description: `1 to 100, ${fallback} unless given` })

/** What every list takes. A page past the end is empty; its number is bounded only by what PostgreSQL can count. */
export const listQuery = z.object({
  page: integerText(1, 2_147_483_647).default(1).meta({ description: 'Starts at 1; past the end: empty `data`' }),
  per_page: pageSize(20),
  search: z
    .string()
    .max(255)
    .refine(isStorable, named('storable'))
    .optional()
    .meta({ description: 'Beginnings of words; folds case and Arabic letter variants', example: 'ahm' }),
})

/** The envelope of a page of `item`. Source: specification, conventions 4. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    data: z.array(item),
    total: z.int().meta({ example: 1 }),
    per_page: z.int().meta({ example: 20 }),
    current_page: z.int().meta({ example: 1 }),
    last_page: z.int().meta({ example: 1 }),
  })

/** An id in a path. What is no ULID is simply absent: it matches no record. Source: decisions.md, identifiers. */
export const recordId = z
  .string()
  .transform((text) => (isUlid(text) ? text.toUpperCase() : ''))
  .meta({ description: 'ULID; anything else is absent', example: '01J9ZK3V7Q8R2M4T6W8Y0A1B2C' })

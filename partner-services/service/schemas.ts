import { z } from 'zod'
import { and, type Sql, sql } from './sql.ts'

const crockford = /^[0-9A-HJKMNP-TV-Z]{26}$/i

/** A record's id: 26 characters of Crockford's base 32, taken in either case, kept in upper case. */
export const ulid = z
  .string()
  .regex(crockford)
  .transform((text) => text.toUpperCase())
  .meta({ id: 'Ulid', description: 'ULID, 26 characters', example: '01J9ZK3V7Q8R2M4T6W8Y0A1B2C' })

export const isUlid = (text: string): boolean => crockford.test(text)

// NUL cannot be stored by PostgreSQL; a lone surrogate is no text in UTF-8.
const storable = (text: string) => !text.includes('\0') && text.isWellFormed()

/** Text as given, NFC-normalised, of 1 to `max` characters. */
export const text = (max = 255) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine(storable, 'must be storable text')
    .transform((value) => value.normalize('NFC'))

/** A day that exists, YYYY-MM-DD. */
export const day = z.iso.date()

const integerText = (minimum: number, maximum: number, fallback: number) =>
  z.coerce.number().int().min(minimum).max(maximum).default(fallback)

/** What every list takes. A page past the end is empty; its number is bounded only by what PostgreSQL can count. */
export const listQuery = z.object({
  page: integerText(1, 2_147_483_647, 1),
  per_page: integerText(1, 100, 20),
  search: z.string().max(255).refine(storable, 'must be storable text').optional(),
})

/** The envelope of a page of `item`. Source: specification, conventions 4. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    data: z.array(item),
    total: z.int(),
    per_page: z.int(),
    current_page: z.int(),
    last_page: z.int(),
  })

/**
 * Records of `resource` in which every word of `search` begins a word. Ranges instead of LIKE: comparison of text is
 * leakproof, so row-level security does not keep the index from being used.
 */
export function matching(
  resource: string,
  tenantId: string,
  search: string | undefined,
  id: Sql = sql`id`,
): Sql | null {
  const words = foldWords(search ?? '')
  if (words.length === 0) return search?.trim() ? sql`false` : null
  const conditions = words.map(
    (
      word,
    ) => sql`${id} in (select record_id from core.search_words where tenant_id = ${tenantId} and resource = ${resource}
      and word >= core.fold(${word}) and word < core.fold(${word}) || chr(1114111))`,
  )
  return sql`(true${and(...conditions)})`
}

const maximumWords = 8

function foldWords(search: string): string[] {
  return search
    .normalize('NFC')
    .trim()
    .split(/\s+/u)
    .filter(Boolean)
    .slice(0, maximumWords)
    .map((word) => word.slice(0, 64))
}

/** An id in a path. What is no ULID is simply absent: it matches no record. Source: decisions.md, identifiers. */
export const recordId = z.string().transform((text) => (isUlid(text) ? text.toUpperCase() : ''))

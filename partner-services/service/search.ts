import { type Sql, sql } from './sql.ts'

/**
 * The ids of the records of `resource` that have words beginning with every word of `search`, or a whole text beginning
 * with all of it; null where nothing is searched for. An id may come more than once. Ranges instead of LIKE: comparison
 * of text is leakproof, so row-level security does not keep the index from being used.
 */
export function hitsOf(resource: string, tenantId: string, search: string | undefined): Sql | null {
  const beginning = (word: string) => sql`select record_id from core.search_words
    where tenant_id = ${tenantId} and resource = ${resource} and ${inRange(word)}`
  return everyWord(search, beginning)
}

/** The same for the platform's own records, which belong to no tenant. */
export function sharedHitsOf(resource: string, search: string | undefined): Sql | null {
  const beginning = (word: string) => sql`select record_id from core.shared_search_words
    where resource = ${resource} and ${inRange(word)}`
  return everyWord(search, beginning)
}

const inRange = (word: string) => sql`word >= core.fold(${word}) and word < core.fold(${word}) || chr(1114111)`

function everyWord(search: string | undefined, beginning: (word: string) => Sql): Sql | null {
  const text = (search ?? '').normalize('NFC').trim()
  const tokens = tokensOf(text)
  if (tokens.length === 0) return null
  const records = tokens.map(({ whole, parts }) => {
    if (parts.length === 1 && parts[0] === whole) return beginning(whole)
    // "al-ahmad" is two words of a name, "a@b.c" one whole text: either will do.
    const inParts = parts
      .map(beginning)
      .reduce<Sql | null>((all, one) => (all ? sql`${all} intersect ${one}` : one), null)
    return inParts ? sql`${beginning(whole)} union (${inParts})` : beginning(whole)
  })
  const every = records.reduce((all, one) => sql`(${all}) intersect (${one})`)
  // "MATH 101" is two words of a name, or one whole code.
  const whole = /\s/u.test(text) ? [text] : []
  return [...whole, ...phonesOf(text)].reduce((all, one) => sql`(${all}) union all ${beginning(indexed(one))}`, every)
}

/**
 * How a phone number is kept that people write in groups, or without its plus, which is a space in a query; nothing where
 * the text is no number of five digits or more.
 */
function phonesOf(text: string): string[] {
  const digits = text.replace(/[\s+().-]/gu, '')
  return /^[0-9٠-٩۰-۹]{5,}$/.test(digits) ? [`+${digits.replace(dialledAbroad, '')}`] : []
}

/** The international prefix that ITU-T recommends. */
const dialledAbroad = /^[0٠۰]{2}/

/** The condition that a record is among the hits; null where nothing is searched for. */
export const among = (hits: Sql | null): Sql | null => hits && sql`id in (${hits})`

/** Of words that one search looks for, those of "al-ahmad" counted each; each costs what it finds. */
const mostWords = 8

type Token = { whole: string; parts: string[] }

/** A sign that stands alone between words, as in "2026 / 2027", is none of them. What is said twice is looked for once. */
function tokensOf(text: string): Token[] {
  const tokens = [...new Set(text.split(/\s+/u).filter(Boolean).map(indexed))].map((whole) => ({
    whole,
    parts: [...new Set(partsOf(whole))],
  }))
  const spoken = tokens.filter(({ parts }) => parts.length > 0)
  return spoken.length > 0 ? firstWords(spoken) : tokens.slice(0, 1)
}

function firstWords(tokens: Token[]): Token[] {
  let left = mostWords
  return tokens.flatMap(({ whole, parts }) => {
    const kept = parts.slice(0, left)
    left -= kept.length
    return kept.length > 0 ? [{ whole, parts: kept }] : []
  })
}

/** Cuts as `core.words` does, for which `core.fold` makes a digit of each of these. */
const partsOf = (token: string): string[] => token.split(/[^\p{Alphabetic}0-9٠-٩۰-۹]+/u).filter(Boolean)

/** As much of a text as `core.words` keeps. */
const indexed = (text: string): string => text.slice(0, 64)

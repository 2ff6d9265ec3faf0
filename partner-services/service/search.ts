import { type Sql, sql } from './sql.ts'

/**
 * The ids of the records of `resource` in which every word of `search` begins a word, some perhaps more than once;
 * null where nothing is searched for. Ranges instead of LIKE: comparison of text is leakproof, so row-level security
 * does not keep the index from being used.
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
  const tokens = search ? tokensOf(search) : []
  if (tokens.length === 0) return null
  const records = tokens.map((token) => {
    const parts = partsOf(token)
    if (parts.length === 1 && parts[0] === token) return beginning(token)
    // "al-ahmad" is two words of a name, "a@b.c" one whole text: either will do.
    const inParts = parts
      .map(beginning)
      .reduce<Sql | null>((all, one) => (all ? sql`${all} intersect ${one}` : one), null)
    return inParts ? sql`${beginning(token)} union (${inParts})` : beginning(token)
  })
  return records.reduce((all, one) => sql`(${all}) intersect (${one})`)
}

/** The condition that a record is among the hits; null where nothing is searched for. */
export const among = (hits: Sql | null): Sql | null => hits && sql`id in (${hits})`

const mostTokens = 8

/** A sign that stands alone between words, as in "2026 / 2027", is none of them. */
function tokensOf(search: string): string[] {
  const tokens = search.normalize('NFC').trim().split(/\s+/u).filter(Boolean)
  const words = tokens.filter((token) => partsOf(token).length > 0)
  return (words.length > 0 ? words : tokens).slice(0, mostTokens).map((word) => word.slice(0, 64))
}

/** Cuts as `core.words` does, for which `core.fold` makes a digit of each of these. */
const partsOf = (token: string): string[] => token.split(/[^\p{Alphabetic}0-9٠-٩۰-۹]+/u).filter(Boolean)

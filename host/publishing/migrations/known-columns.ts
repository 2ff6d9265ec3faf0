import type pg from 'pg'
import type { KnownColumn } from '../../../policy/migrations/known-columns.ts'

/**
 * The tables and columns of a module's schema. The tenant column is the platform's, and unknown to the module. `code`: of
 * the versions that run somewhere, where it is known: what none of it names is in no use.
 */
export async function knownColumns(
  superuser: pg.ClientBase,
  schema: string,
  code?: readonly string[],
): Promise<KnownColumn[]> {
  const { rows } = await superuser.query<KnownColumn>(
    `select c.relname as table, a.attname as column, not coalesce(a.attnotnull, false) as nullable,
       substring(pg_catalog.col_description(c.oid, a.attnum) from '^core_reference:([a-z][a-z0-9_]*)$') as references
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attname <> 'tenant_id'
     where n.nspname = $1 and c.relkind in ('r', 'p')
     order by c.relname, a.attnum`,
    [schema],
  )
  if (!code) return rows
  const isNamed = namesIn(code)
  return rows.map((row) => ({
    ...row,
    tableNamed: isNamed(row.table),
    columnNamed: row.column === null || isNamed(row.column),
  }))
}

/** In `\tfee` the name is `fee`. */
const escapes = /\\(x[\da-f]{2}|u[\da-f]{4}|u\{[\da-f]+\}|.)/gis

/**
 * A module's statements are literal texts, so a name that they use stands in its code, if need be behind an escape. Other
 * names may stand there escaped themselves.
 */
export function namesIn(code: readonly string[]): (name: string) => boolean {
  const texts = code.flatMap((text) => [text, text.replace(escapes, ' ')])
  const words = new Set(texts.flatMap((text) => text.match(/[a-z_]\w*/gi) ?? []).map((word) => word.toLowerCase()))
  return (name) => !/^[a-z_]\w*$/i.test(name) || words.has(name.toLowerCase())
}

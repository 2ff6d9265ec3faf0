import type pg from 'pg'
import type { KnownColumn, KnownSchema } from '../../../policy/migrations/known-schema.ts'
import type { NamedObject } from '../../../policy/sql/names-in-use.ts'

/** What a module's schema holds. `code`: see `knownColumns`. */
export async function knownSchema(
  superuser: pg.ClientBase,
  schema: string,
  code?: readonly string[],
): Promise<KnownSchema> {
  return { columns: await knownColumns(superuser, schema, code), names: await knownNames(superuser, schema) }
}

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

/**
 * Those that the rewriting may have to name. An index on expressions depends on the columns in them: they stand in no list
 * of its own.
 */
async function knownNames(superuser: pg.ClientBase, schema: string): Promise<NamedObject[]> {
  const { rows } = await superuser.query<NamedObject>(
    `with stands_on as (
       select 'index' as kind, c.relname as name, i.indrelid as relation, i.indkey::int2[] || array(
           select d.refobjsubid::int2 from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = i.indexrelid
             and d.refclassid = 'pg_class'::regclass and d.refobjid = i.indrelid) as numbers
       from pg_index i join pg_class c on c.oid = i.indexrelid where not i.indisprimary
       union all
       select 'constraint', conname, conrelid, coalesce(conkey, '{}') from pg_constraint where contype in ('u', 'f')
     )
     select s.kind, s.name, t.relname as table, array(
         select a.attname::text from pg_attribute a
         where a.attrelid = t.oid and a.attnum > 0 and a.attnum = any (s.numbers) and a.attname <> 'tenant_id'
         order by a.attnum) as columns
     from stands_on s join pg_class t on t.oid = s.relation join pg_namespace n on n.oid = t.relnamespace
     where n.nspname = $1
     order by t.relname, s.name, s.kind`,
    [schema],
  )
  return rows
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

import type pg from 'pg'
import type { KnownColumn } from '../../../policy/migrations/known-columns.ts'

/** The tables and columns of a module's schema. The tenant column is the platform's, and unknown to the module. */
export async function knownColumns(superuser: pg.ClientBase, schema: string): Promise<KnownColumn[]> {
  const { rows } = await superuser.query<KnownColumn>(
    `select c.relname as table, a.attname as column, not coalesce(a.attnotnull, false) as nullable,
       substring(pg_catalog.col_description(c.oid, a.attnum) from '^core_reference:([a-z][a-z0-9_]*)$') as references
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attname <> 'tenant_id'
     where n.nspname = $1 and c.relkind in ('r', 'p')
     order by c.relname, a.attnum`,
    [schema],
  )
  return rows
}

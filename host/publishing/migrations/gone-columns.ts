import type pg from 'pg'
import { moduleRoleNames } from '../../module-database/role-names.ts'
import type { PublisherContext } from '../publisher-context.ts'
import { namesIn } from './known-schema.ts'

/**
 * Notes which columns an app's live schema has, and which of those that it had are gone, their tables perhaps with them. To
 * be called before a release may drop some, and after each of its migrations: what one makes the next may rename. Where it
 * was killed between, the call of the next release, or of a roll-back, makes good for it. `takenBy`: the migration's version.
 */
export async function noteColumns(
  { provisioning, system, suffix }: Pick<PublisherContext, 'provisioning' | 'system' | 'suffix'>,
  slug: string,
  takenBy: string | null = null,
): Promise<void> {
  const { rows } = await provisioning.query<{ tables: string[]; columns: string[] }>(
    `select coalesce(array_agg(c.relname::text), '{}') as tables, coalesce(array_agg(a.attname::text), '{}') as columns
      from pg_namespace n join pg_class c on c.relnamespace = n.oid and c.relkind in ('r', 'p')
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where n.nspname = $1`,
    [moduleRoleNames(slug, { suffix, kind: 'live' }).schema],
  )
  await system.query(
    `with present as (select * from unnest($2::text[], $3::text[]) as p (table_name, column_name)),
        kept as (
          insert into core.module_columns (app_id, table_name, column_name) select a.id, p.* from core.apps a, present p
            where a.slug = $1 on conflict (app_id, table_name, column_name) do update set gone = false, taken_by = null)
      update core.module_columns m set gone = true, taken_by = $4 from core.apps a
        where a.slug = $1 and m.app_id = a.id and not m.gone and (m.table_name, m.column_name) not in (select * from present)`,
    [slug, rows[0]!.tables, rows[0]!.columns, takenBy],
  )
}

/**
 * The columns, as `table.column`, that this code names and that a release has dropped. `brought`: versions of migrations; what
 * one of them took is none of these.
 */
export async function goneColumnsIn(
  db: Pick<pg.ClientBase, 'query'>,
  appId: string,
  code: string,
  brought: readonly string[] = [],
): Promise<string[]> {
  const { rows } = await db.query<{ table: string; column: string }>(
    `select table_name as table, column_name as column from core.module_columns
      where app_id = $1 and gone and (taken_by = any ($2)) is not true order by 1, 2`,
    [appId, brought],
  )
  const isNamed = namesIn([code])
  return rows
    .filter(({ table, column }) => isNamed(table) && isNamed(column))
    .map(({ table, column }) => `${table}.${column}`)
}

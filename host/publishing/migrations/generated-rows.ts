import pg from 'pg'
import type { OwnerSession } from './owner-session.ts'

/** `reason`: why a table stayed empty; its rules are beyond generated values. */
export type GeneratedTable = { table: string; rows: number; reason?: string }

type Column = {
  name: string
  type: string
  category: string
  length: number | null
  /** The parent's column that a foreign key leads to. */
  parent: string | null
  parentColumn: string | null
  filled: boolean
  label: string | null
}

/** Fills each table of the schema with made-up rows of one tenant, parents before children. */
export async function fillTables(
  superuser: pg.ClientBase,
  session: OwnerSession,
  options: { rows: number; tenantId: string },
): Promise<GeneratedTable[]> {
  const tables = await columnsByTable(superuser, session.roles.schema)
  const filled: GeneratedTable[] = []
  for (const [table, columns] of parentsFirst(tables)) filled.push(await fillTable(session, table, columns, options))
  return filled
}

async function fillTable(
  session: OwnerSession,
  table: string,
  columns: readonly Column[],
  { rows, tenantId }: { rows: number; tenantId: string },
): Promise<GeneratedTable> {
  const written = columns.filter((column) => !column.filled)
  const names = written.map(({ name }) => pg.escapeIdentifier(name)).join(', ')
  const values = written.map((column) => valueFor(column)).join(', ')
  const target = pg.escapeIdentifier(table)
  const text =
    written.length === 0
      ? `insert into ${target} default values`
      : `insert into ${target} (${names}) select ${values} from generate_series(1, ${rows}) n`
  try {
    await session.client.query('begin')
    await session.client.query('select gate.enter($1, $2)', [tenantId, session.gateSecret])
    const { rowCount } = await session.client.query(text)
    await session.client.query('commit')
    return { table, rows: rowCount ?? 0 }
  } catch (error) {
    await session.client.query('rollback')
    return { table, rows: 0, reason: (error as Error).message }
  }
}

/** An expression of `n`, the row's number: different for each row, so that it fits a unique key as well. */
function valueFor({ type, category, length, parent, parentColumn, label }: Column): string {
  if (parent && parentColumn) {
    const from = pg.escapeIdentifier(parent)
    return `(array(select ${pg.escapeIdentifier(parentColumn)} from ${from} order by 1))[1 + (n - 1) % greatest(1, (select count(*) from ${from}))]`
  }
  if (label !== null) return `${pg.escapeLiteral(label)}::${type}`
  if (category === 'S') return `left('t' || n, ${length ?? 100})`
  if (category === 'N') return type.startsWith('smallint') ? `(n % 32000)::${type}` : `n::${type}`
  if (category === 'B') return `(n % 2 = 0)`
  if (category === 'D') return `(timestamp '2020-01-01' + n * interval '1 day')::${type}`
  if (category === 'T') return `(n * interval '1 minute')::${type}`
  if (category === 'A') return `'{}'::${type}`
  if (category === 'R') return `'empty'::${type}`
  if (type === 'uuid') return `md5(n::text)::uuid`
  if (type === 'json' || type === 'jsonb') return `'{}'::${type}`
  if (type === 'bytea') return `decode(md5(n::text), 'hex')`
  if (type === 'time without time zone' || type === 'time with time zone') return `'08:00'::${type}`
  return 'null'
}

async function columnsByTable(superuser: pg.ClientBase, schema: string): Promise<Map<string, Column[]>> {
  const { rows } = await superuser.query<Column & { table: string }>(
    `select c.relname as table, a.attname as name, format_type(a.atttypid, null) as type, t.typcategory as category,
       case when a.atttypmod > 4 and t.typcategory = 'S' then a.atttypmod - 4 end as length,
       k.parent, k.parent_column as "parentColumn",
       a.attname = 'tenant_id' or a.attidentity <> '' or a.attgenerated <> '' or coalesce(pg_get_expr(d.adbin, d.adrelid) ~ '^nextval', false) as filled,
       (select enumlabel from pg_enum e where e.enumtypid = a.atttypid order by enumsortorder limit 1) as label
     from pg_class c
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     join pg_type t on t.oid = a.atttypid
     left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
     left join lateral (
       select p.relname as parent, pa.attname as parent_column
       from pg_constraint f
       cross join lateral unnest(f.conkey, f.confkey) as pair (own, other)
       join pg_class p on p.oid = f.confrelid
       join pg_attribute pa on pa.attrelid = f.confrelid and pa.attnum = pair.other
       where f.conrelid = c.oid and f.contype = 'f' and pair.own = a.attnum and pa.attname <> 'tenant_id'
       limit 1
     ) k on true
     where c.relnamespace = $1::regnamespace and c.relkind = 'r'
     order by c.relname, a.attnum`,
    [schema],
  )
  const tables = new Map<string, Column[]>()
  for (const { table, ...column } of rows) tables.set(table, [...(tables.get(table) ?? []), column])
  return tables
}

/** A table that refers to itself, or a circle of tables, comes as it stands: its keys stay null, or it stays empty. */
function parentsFirst(tables: ReadonlyMap<string, Column[]>): [string, Column[]][] {
  const ordered = new Map<string, Column[]>()
  const visiting = new Set<string>()
  function visit(table: string): void {
    const columns = tables.get(table)
    if (!columns || ordered.has(table) || visiting.has(table)) return
    visiting.add(table)
    for (const { parent } of columns) if (parent) visit(parent)
    ordered.set(table, columns)
  }
  for (const table of tables.keys()) visit(table)
  return [...ordered]
}

import type { FoundQuery, Page, PageQuery, Paging, TenantDatabase } from '../../partner-services/service/ports.ts'
import { type Sql, sql } from '../../partner-services/service/sql.ts'
import type { Row, Statement } from './pipeline.ts'
import { toStatement } from './statements.ts'

/** What operations read and write with, over whatever runs the statements of one round trip. */
export function tenantDatabase(run: (statements: Statement[]) => Promise<Row[][]>): TenantDatabase {
  const rows = async <R>(statement: Sql) => (await run([toStatement(statement)]))[0] as R[]
  return {
    rows,
    row: async <R>(statement: Sql) => (await rows<R>(statement))[0] ?? null,
    async page<R>(paging: Paging, query: PageQuery): Promise<Page<R>> {
      const both = [toStatement(countOf(query)), toStatement(pageOf(query, paging))]
      const [counted, data] = paging.search ? (await run([planForValues, ...both])).slice(1) : await run(both)
      return envelope(paging, counted![0]!.total as number, data as R[])
    },
    async foundPage<R>(paging: Paging, query: FoundQuery): Promise<Page<R>> {
      const [, found] = await run([planForValues, toStatement(foundPageOf(query, paging))])
      const data = found!.filter(({ id }) => id !== null).map(({ found_total, ...row }) => row as R)
      return envelope(paging, found![0]!.found_total as number, data)
    },
  }
}

const envelope = <R>({ page, per_page }: Paging, total: number, data: R[]): Page<R> => ({
  data,
  total,
  per_page,
  current_page: page,
  last_page: Math.max(1, Math.ceil(total / per_page)),
})

/** How many records a search finds decides how to find them: it is planned for its words, not once for all. */
const planForValues: Statement = { text: `select set_config('plan_cache_mode', 'force_custom_plan', true)`, values: [] }

const countOf = ({ from, where }: PageQuery): Sql => sql`select count(*) as total from ${from} where ${where}`

/** Past the first page the ids before it come from the index alone; only the page's own rows are fetched. */
function pageOf({ columns, from, where, order }: PageQuery, { page, per_page: perPage }: Paging): Sql {
  const offset = (page - 1) * perPage
  if (order)
    return sql`select ${columns} from ${from} where ${where} order by ${order} limit ${perPage} offset ${offset}`
  if (page === 1) return sql`select ${columns} from ${from} where ${where} order by id limit ${perPage}`
  return sql`select ${columns} from (select id from ${from} where ${where} order by id limit ${perPage} offset ${offset}) chosen
    join ${from} using (id) where ${where} order by id`
}

/**
 * The hits are gathered once, out of the index of words alone, and both counted and cut into the page; the table gives
 * the page's own rows. One row without an id says the total of a page past the end.
 */
const foundPageOf = ({ columns, from, within, ids }: FoundQuery, { page, per_page }: Paging): Sql => sql`
  with found as materialized (select id from (${ids}) hits(id) group by id),
    chosen as (select id from found order by id limit ${per_page} offset ${(page - 1) * per_page})
  select found_total, shown.* from (select count(*) as found_total from found) counted
    left join (select ${columns} from chosen join ${from} using (id) where ${within}) shown on true order by shown.id`

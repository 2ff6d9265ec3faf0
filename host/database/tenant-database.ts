import type { Page, PageQuery, Paging, TenantDatabase } from '../../partner-services/service/ports.ts'
import { type Sql, sql } from '../../partner-services/service/sql.ts'
import type { Row, Statement } from './pipeline.ts'
import { toStatement } from './statements.ts'

/** What operations read and write with, over whatever runs the statements of one round trip. */
export function tenantDatabase(run: (statements: Statement[]) => Promise<Row[][]>): TenantDatabase {
  const rows = async <R>(statement: Sql) => (await run([toStatement(statement)]))[0] as R[]
  return {
    rows,
    row: async <R>(statement: Sql) => (await rows<R>(statement))[0] ?? null,
    async page<R>({ page, per_page, search }: Paging, query: PageQuery): Promise<Page<R>> {
      const both = [toStatement(countOf(query)), toStatement(pageOf(query, page, per_page))]
      const [counted, data] = search ? (await run([planForValues, ...both])).slice(1) : await run(both)
      const total = counted![0]!.total as number
      return {
        data: data as R[],
        total,
        per_page,
        current_page: page,
        last_page: Math.max(1, Math.ceil(total / per_page)),
      }
    },
  }
}

/** How many records a search finds decides how to find them: it is planned for its words, not once for all. */
const planForValues: Statement = { text: `select set_config('plan_cache_mode', 'force_custom_plan', true)`, values: [] }

const countOf = ({ from, where }: PageQuery): Sql => sql`select count(*) as total from ${from} where ${where}`

/** Past the first page the ids before it come from the index alone; only the page's own rows are fetched. */
function pageOf({ columns, from, where, order }: PageQuery, page: number, perPage: number): Sql {
  const offset = (page - 1) * perPage
  if (order)
    return sql`select ${columns} from ${from} where ${where} order by ${order} limit ${perPage} offset ${offset}`
  if (page === 1) return sql`select ${columns} from ${from} where ${where} order by id limit ${perPage}`
  return sql`select ${columns} from (select id from ${from} where ${where} order by id limit ${perPage} offset ${offset}) chosen
    join ${from} using (id) where ${where} order by id`
}

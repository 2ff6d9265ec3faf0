import type { Row, Statement } from '../database/pipeline.ts'

/** A table with rows of an installation, and the condition that finds them: $1 tenant, $2 installation, $3 app. */
export type ErasableTable = {
  table: string
  condition: string
  /** Rows of it that mention the app and stay, and why. */
  kept?: { condition: string; why: string }
}

/** What outlives an installation, and why. Source: decisions.md, tokens. */
export const survivors: Readonly<Record<string, string>> = {
  access_log: 'The record of who read what belongs to the school.',
  erasure_certificates: 'This certificate.',
}

/** Names under which tables point at an app by its slug. */
const appColumns = ['app', 'app_slug', 'authored_by_app', 'module_slug']

/** Tables of which only the rows of this condition go, and why the others stay. */
const narrower: Readonly<Record<string, { condition: string; why: string }>> = {
  report_templates: { condition: `status = 'draft'`, why: "Letterheads that the school approved are the school's." },
}

const columnsOfCore: Statement = { text: 'select "table", columns from core.table_columns()', values: [] }

/**
 * Every table of the platform that can hold something of one installation, found by its columns: a table that is added
 * later is erased without anybody remembering it. `byApp` includes what belongs to the app at the school rather than to
 * this one installation.
 */
export async function erasableTables(
  run: (statements: Statement[]) => Promise<Row[][]>,
  { byApp }: { byApp: boolean },
): Promise<ErasableTable[]> {
  const [tables] = await run([columnsOfCore])
  return (tables as { table: string; columns: string[] }[]).flatMap(({ table, columns }) => {
    if (Object.hasOwn(survivors, table) || !columns.includes('tenant_id')) return []
    const ways = [
      ...(columns.includes('installation_id') ? ['installation_id = $2'] : []),
      ...(byApp ? columns.filter((column) => appColumns.includes(column)).map((column) => `${column} = $3`) : []),
    ]
    if (ways.length === 0) return []
    // Every statement takes the same three values, so each is mentioned, and typed, in it.
    const condition = `tenant_id = $1 and $2::text is not null and $3::text is not null and (${ways.join(' or ')})`
    const part = narrower[table]
    if (!part) return [{ table, condition }]
    const kept = { condition: `${condition} and not (${part.condition})`, why: part.why }
    return [{ table, condition: `${condition} and ${part.condition}`, kept }]
  })
}

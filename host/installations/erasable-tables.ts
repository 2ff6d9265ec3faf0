import type { Row, Statement } from '../database/pipeline.ts'

/** A table with rows of an installation, and the condition that finds them: $1 tenant, $2 installation, $3 app. */
export type ErasableTable = { table: string; condition: string }

/** What outlives an installation, and why. Source: decisions.md, tokens. */
export const survivors: Readonly<Record<string, string>> = {
  access_log: 'The record of who read what belongs to the school.',
  erasure_certificates: 'This certificate.',
}

/** Names under which tables point at an app by its slug. */
const appColumns = ['app', 'app_slug', 'authored_by_app', 'module_slug']

/** Conditions beside the rule. Templates that the school approved are its own letterheads. */
const narrower: Readonly<Record<string, string>> = { report_templates: `status = 'draft'` }

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
    const extra = narrower[table] ? ` and ${narrower[table]}` : ''
    // Every statement takes the same three values, so each is mentioned, and typed, in it.
    const condition = `tenant_id = $1 and $2::text is not null and $3::text is not null and (${ways.join(' or ')})${extra}`
    return [{ table, condition }]
  })
}

import { type CsvRow, type CsvTable, type Problems, readCsv } from './csv-table.ts'
import { columnsOf, type FileName } from './files.ts'
import { readManifest } from './manifest.ts'

/** The files of an export. Null where one that must be there is missing or cannot be read; one that may be left out is then empty. */
export type Tables = ReadonlyMap<FileName, CsvTable | null>

const requiredFiles: FileName[] = ['orgs.csv', 'users.csv']

export function readTables(contents: ReadonlyMap<string, Buffer>, problems: Problems): Tables {
  const absent = readManifest(contents, problems)
  const tables = new Map<FileName, CsvTable | null>()
  for (const [name, columns] of Object.entries(columnsOf) as [FileName, readonly string[]][]) {
    const content = contents.get(name)
    const reason = content ? 'the manifest says that it is absent' : 'the file is missing'
    const table =
      content && !absent.has(name) ? readCsv(name, content, columns, problems) : leftOut(name, reason, problems)
    checkIds(name, table?.rows ?? [], problems)
    tables.set(name, table)
  }
  return tables
}

function leftOut(file: FileName, reason: string, problems: Problems): CsvTable | null {
  if (!requiredFiles.includes(file)) return { columns: [], rows: [], deleted: new Set(), ids: new Set() }
  problems.add(file, 1, reason)
  return null
}

function checkIds(file: FileName, rows: readonly CsvRow[], problems: Problems): void {
  const seen = new Map<string, number>()
  for (const { line, fields } of rows) {
    const sourcedId = fields.sourcedId ?? ''
    if (sourcedId === '') problems.add(file, line, 'sourcedId is empty')
    else if (seen.has(sourcedId))
      problems.add(file, line, `sourcedId ${sourcedId} stands on line ${seen.get(sourcedId)} too`)
    else seen.set(sourcedId, line)
  }
}

type Reading = { tables: Tables }

export const rowsOf = ({ tables }: Reading, file: FileName): readonly CsvRow[] => tables.get(file)?.rows ?? []
export const known = (reading: Reading, file: FileName): Map<string, CsvRow> =>
  new Map(rowsOf(reading, file).map((row) => [row.fields.sourcedId!, row]))

/** Whether a row refers to one that is surely not there: what a file holds that could not be read is not known. */
export const isAbsent = ({ tables }: Reading, file: FileName, sourcedId: string): boolean =>
  tables.get(file)?.ids.has(sourcedId) === false

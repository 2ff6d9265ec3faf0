import { type CsvRow, type CsvTable, type Problems, readCsv } from './csv-table.ts'
import { columnsOf, type FileName } from './files.ts'
import { readManifest } from './manifest.ts'

/** The files of an export. Null where one is left out or cannot be read: nobody knows what it would hold. */
export type Tables = ReadonlyMap<FileName, CsvTable | null>

const requiredFiles: FileName[] = ['orgs.csv', 'users.csv']

export function readTables(contents: ReadonlyMap<string, Buffer>, problems: Problems): Tables {
  const absent = readManifest(contents, problems)
  const tables = new Map<FileName, CsvTable | null>()
  const leftOut = new Map<FileName, string>()
  for (const [name, columns] of Object.entries(columnsOf) as [FileName, readonly string[]][]) {
    const content = contents.get(name)
    const isThere = content !== undefined && !absent.has(name)
    if (!isThere) leftOut.set(name, content ? 'the manifest says that it is absent' : 'the file is missing')
    const table = isThere ? readCsv(name, content, columns, problems) : null
    checkIds(name, table?.rows ?? [], problems)
    tables.set(name, table)
  }
  for (const [name, reason] of leftOut) if (requiredFiles.includes(name)) problems.add(name, 1, reason)
  const noClasses = leftOut.get('classes.csv')
  if (noClasses && rowsOf({ tables }, 'enrollments.csv').length > 0)
    problems.add('classes.csv', 1, `${noClasses}, and enrollments.csv names classes`)
  return tables
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

/** Whether a row refers to one that is surely not there: of a file that is not known nothing is. */
export const isAbsent = ({ tables }: Reading, file: FileName, sourcedId: string): boolean =>
  tables.get(file)?.ids.has(sourcedId) === false

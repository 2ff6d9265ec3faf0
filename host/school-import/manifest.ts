import { type Problems, readCsv } from './csv-table.ts'
import { columnsOf, manifestFile as file } from './files.ts'

/** What is imported is a whole school: a file of changes alone would be taken for all that there is. */
export function refuseChanges(contents: ReadonlyMap<string, Buffer>, problems: Problems): void {
  const content = contents.get(file)
  const rows = (content && readCsv(file, content, ['propertyName', 'value'], problems)) || []
  for (const { line, fields } of rows) {
    const name = `${fields.propertyName!.replace(/^file\./, '')}.csv`
    if (name in columnsOf && fields.value!.toLowerCase() === 'delta')
      problems.add(file, line, `${name} holds changes only (delta): whole files (bulk) are imported`)
  }
}

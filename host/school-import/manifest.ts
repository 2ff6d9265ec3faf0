import { type Problems, readCsv } from './csv-table.ts'
import { columnsOf, type FileName, manifestFile as file } from './files.ts'

/**
 * The files that the manifest says are no part of this export, whatever lies beside it. What is imported is a whole school: a
 * file of changes alone would be taken for all that there is. Source: OneRoster 1.1, CSV binding, manifest.csv.
 */
export function readManifest(contents: ReadonlyMap<string, Buffer>, problems: Problems): Set<FileName> {
  const absent = new Set<FileName>()
  const content = contents.get(file)
  const table = content && readCsv(file, content, ['propertyName', 'value'], problems)
  for (const { line, fields } of table?.rows ?? []) {
    const name = `${fields.propertyName!.replace(/^file\./, '')}.csv`
    const value = fields.value!.toLowerCase()
    if (!isFileName(name)) continue
    if (value === 'absent') absent.add(name)
    if (value === 'delta')
      problems.add(file, line, `${name} holds changes only (delta): whole files (bulk) are imported`)
  }
  return absent
}

const isFileName = (name: string): name is FileName => Object.hasOwn(columnsOf, name)
